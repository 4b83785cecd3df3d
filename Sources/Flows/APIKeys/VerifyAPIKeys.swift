public import Domain
import HTTP
import Storage

/// Tells a client which of its API keys count, many at once: for its resource servers, to which others show the keys.
///
/// No call is counted, no refusal is written down.
public struct VerifyAPIKeys: Sendable {
  /// Keys of one request.
  public static let most = 100

  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// A key, and the request that it came with; what is not said of that is not judged.
  public struct Question: Sendable {
    public let text: Secret
    /// What the request is for.
    public var url: String?
    public var method: String?
    /// The request's `Referer`; empty where it had none.
    public var referrer: String?
    public var address: String?

    public init(_ text: Secret) { self.text = text }
  }

  /// Why a key does not count for a request.
  public enum Reason: String, Sendable, CaseIterable {
    /// It is no key, or was changed or cut off, or there is none such, or none of the client that asks.
    case unknown
    case revoked
    case expired
    case referrerNotAllowed = "referrer_not_allowed"
    case networkNotAllowed = "network_not_allowed"
    case insufficientScope = "insufficient_scope"
    case slowDown = "slow_down"

    fileprivate init(_ ending: ClientAPIKey.Ending) {
      switch ending {
      case .revoked, .tokenOutgrown: self = .revoked
      case .expired, .tokenExpired: self = .expired
      }
    }
  }

  public struct Answer: Sendable {
    /// `nil` for an ``Reason/unknown`` one.
    public let key: ClientAPIKey?
    public let expiresAt: Timestamp?
    /// `nil` when it counts.
    public let reason: Reason?
  }

  /// An answer for each question, in order, to the authenticated `client`.
  ///
  /// - Throws: `Refusal` `invalid_client` for a public client, as anybody can pose as one.
  public func callAsFunction(_ questions: [Question], _ client: Client) async throws -> [Answer] {
    guard client.kind == .confidential else {
      throw Refusal(.invalidClient, "API keys are verified for clients that prove who they are.")
    }
    let now = here.clock.now()
    let connections = try await here.knownConnections.all(in: here.store)
    var answers: [Answer] = []
    for question in questions { answers.append(try await answer(question, client, connections, at: now)) }
    return answers
  }

  private func answer(
    _ question: Question, _ client: Client, _ connections: [Connection], at now: Timestamp
  ) async throws -> Answer {
    let unknown = Answer(key: nil, expiresAt: nil, reason: .unknown)
    let proven: ProvenAPIKey
    do { proven = try await AuthenticateAPIKey(here).proven(question.text.revealedText) } catch is Refusal {
      return unknown
    }
    let (key, slot) = (proven.key, proven.slot)
    // Another client's key is nothing that this one has to learn of.
    guard key.client == client.id else { return unknown }
    var reason = proven.ending(at: now).map { Reason($0) }
    reason = reason ?? Self.reason(against: key, question, client, connections)
    if reason == nil, try await here.countedUses.refusal(of: key, at: now, here) != nil { reason = .slowDown }
    return Answer(key: key, expiresAt: key.token?.expiresAt ?? slot.expiresAt, reason: reason)
  }

  private static func reason(
    against key: ClientAPIKey, _ question: Question, _ client: Client, _ connections: [Connection]
  ) -> Reason? {
    if let referrer = question.referrer, !key.limits.allows(referrer: referrer) { return .referrerNotAllowed }
    if let address = question.address, !key.limits.allows(address: address) { return .networkNotAllowed }
    guard let text = question.url else {
      let isAllowed = question.method.map { key.scope.allows(method: $0) } ?? true
      return isAllowed ? nil : .insufficientScope
    }
    // What covers it best among those of the client decides, as it does where the key is used.
    let known = connections.filter { client.permission(for: $0.id) != nil && !$0.isDisabled }
    guard let url = ResourceURL(text), let (connection, _) = Connection.covering(url, among: known),
      key.scope.connections.contains(connection.id), !connection.yieldsSecrets(at: url),
      key.scope.refusal(for: url, of: connection.id, method: question.method) == nil
    else { return .insufficientScope }
    return nil
  }
}
