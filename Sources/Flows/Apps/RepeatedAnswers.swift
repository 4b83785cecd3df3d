import Crypto
public import Domain
import Storage
import Synchronization

/// Answers about access tokens as they were given, since a resource server asks the same again with each call that it gets.
///
/// Exact: an answer counts as long as the token and every secret of the client last, and until anything is written.
/// Known by a fingerprint of all that it follows from, so that nobody's credentials stand here.
public final class RepeatedAnswers: Sendable {
  /// What a request is known by.
  public struct Question: Sendable {
    fileprivate let fingerprint: Fingerprint
  }

  /// How the installation stood when an answer was made.
  public struct Moment: Sendable, Equatable {
    fileprivate let change: Int
    fileprivate let keys: Int
  }

  private struct Kept {
    let answer: [UInt8]
    let moment: Moment
    let end: Timestamp
  }

  private static let capacity = 5_000

  private let here: Installation
  private let fingerprints = Fingerprints()
  private let kept = Mutex<[Fingerprint: Kept]>([:])

  public init(_ here: Installation) { self.here = here }

  /// Taken before the question is answered, so that what changes meanwhile counts.
  public func moment() -> Moment { moment(at: here.clock.now()) }

  /// `fields` are the values of the header fields that count, always as many; nothing else of the request may.
  public func question(_ fields: [String], body: [UInt8] = []) -> Question {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(fields.reduce(body.count) { $0 + $1.utf8.count + 1 })
    for field in fields {
      bytes.append(contentsOf: field.utf8)
      // No field can hold the byte that stands behind it.
      bytes.append(0)
    }
    bytes.append(contentsOf: body)
    return Question(fingerprint: fingerprints.fingerprint(of: bytes))
  }

  /// The answer that was given to the same question, if it still holds.
  public func answer(to question: Question) -> [UInt8]? {
    guard let known = kept.withLock({ $0[question.fingerprint] }) else { return nil }
    let now = here.clock.now()
    return known.end > now && known.moment == moment(at: now) ? known.answer : nil
  }

  /// Keeps the `answer` that `client`, which authenticated by a secret, got about the token of `claims`.
  public func keep(
    _ answer: [UInt8], to question: Question, about claims: AccessTokenClaims, _ client: Client, since moment: Moment
  ) async throws {
    let now = here.clock.now()
    let secrets = try await here.knownClients.client(client.id, in: here.store)?.secrets ?? []
    let ends = secrets.compactMap(\.expiresAt).filter { $0 > now } + [claims.expiresAt]
    keep(answer, to: question, until: ends.min() ?? now, since: moment)
  }

  /// Keeps the `answer` that the holder of the token of `claims` got, who need prove nothing else.
  public func keep(
    _ answer: [UInt8], to question: Question, about claims: AccessTokenClaims, since moment: Moment
  ) {
    guard claims.binding == nil else { return }
    keep(answer, to: question, until: claims.expiresAt, since: moment)
  }

  private func keep(_ answer: [UInt8], to question: Question, until end: Timestamp, since moment: Moment) {
    kept.withLock { kept in
      if kept.count >= Self.capacity { kept.removeAll() }
      kept[question.fingerprint] = Kept(answer: answer, moment: moment, end: end)
    }
  }

  private func moment(at now: Timestamp) -> Moment {
    Moment(change: here.store.changeVersion, keys: here.signing.turn(at: now).revision)
  }
}
