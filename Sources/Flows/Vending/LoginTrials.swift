import Domain
import Synchronization

/// Lets one request alone present a login that has not proved itself lately.
///
/// A password that was changed upstream is so presented once, and not by every request that is under way just then:
/// the upstream would lock the account.
final class LoginTrials: Sendable {
  /// One login: a new one has another credential or generation.
  fileprivate struct Login: Hashable {
    let credential: CredentialID
    let generation: Int64
  }

  fileprivate enum State {
    /// One request presents it; the others wait.
    case tried(by: [CheckedContinuation<Bool, Never>])
    case proved(at: ContinuousClock.Instant)
    case refused
  }

  enum Verdict {
    case accepted
    case refused
    /// Nobody judged it.
    case unknown
  }

  /// How long a login that was accepted is taken for right.
  private static let trust = Duration.seconds(10)
  private static let capacity = 10_000

  private let states = Mutex<[Login: State]>([:])

  /// Waits until the login may be presented; ``end(_:_:)`` must follow then.
  ///
  /// `false` when it was refused, and must not be presented.
  func begin(_ credential: Credential) async -> Bool {
    let login = Login(credential: credential.id, generation: credential.generation)
    return await withCheckedContinuation { turn in
      let answer: Bool? = states.withLock { states in
        switch states[login] {
        case .refused: return false
        case .proved(let at) where .now - at < Self.trust: return true
        case .tried(let others):
          states[login] = .tried(by: others + [turn])
          return nil
        case .proved, nil:
          if states.count >= Self.capacity {
            states = states.filter { if case .tried = $0.value { true } else { false } }
          }
          states[login] = .tried(by: [])
          return true
        }
      }
      if let answer { turn.resume(returning: answer) }
    }
  }

  /// Says what became of a login that was presented.
  func end(_ credential: Credential, _ verdict: Verdict) {
    let login = Login(credential: credential.id, generation: credential.generation)
    let (freed, answer) = states.withLock { $0.end(login, verdict) }
    for turn in freed { turn.resume(returning: answer) }
  }
}

extension [LoginTrials.Login: LoginTrials.State] {
  /// Who goes on, and whether with the login.
  fileprivate mutating func end(
    _ login: LoginTrials.Login, _ verdict: LoginTrials.Verdict
  ) -> (freed: [CheckedContinuation<Bool, Never>], mayPresent: Bool) {
    var waiting: [CheckedContinuation<Bool, Never>] = []
    if case .tried(let others) = self[login] { waiting = others }
    switch (verdict, self[login]) {
    case (.accepted, .refused): return ([], true)
    case (.accepted, _):
      self[login] = .proved(at: .now)
      return (waiting, true)
    case (.refused, _):
      self[login] = .refused
      return (waiting, false)
    case (.unknown, .tried) where waiting.isEmpty:
      self[login] = nil
      return ([], true)
    case (.unknown, .tried):
      self[login] = .tried(by: Array(waiting.dropFirst()))
      return ([waiting[0]], true)
    case (.unknown, _): return ([], true)
    }
  }
}
