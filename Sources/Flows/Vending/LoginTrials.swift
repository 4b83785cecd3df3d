import Domain
import Synchronization

/// Lets one request alone present a login that has not proved itself lately, or that a URL has refused.
///
/// A password that was changed upstream is so presented once, and once more at its connection's own address, and not by
/// every request that is under way just then: the upstream would lock the account.
final class LoginTrials: Sendable {
  /// One login: a new one has another credential or generation.
  fileprivate struct Login: Hashable {
    let credential: CredentialID
    let generation: Int64

    init(_ credential: Credential) { (self.credential, generation) = (credential.id, credential.generation) }
  }

  fileprivate enum State {
    /// One request presents it; the others wait.
    case tried(by: [CheckedContinuation<Turn, Never>])
    case proved(at: ContinuousClock.Instant)
    case refused
    /// A URL refused it, and its own address does not say whether it is right.
    case doubtful(until: ContinuousClock.Instant)
  }

  /// A question at the connection's own address.
  fileprivate enum Question {
    case asked(begunAt: ContinuousClock.Instant, by: [CheckedContinuation<Verdict?, Never>])
    case answered(Verdict, begunAt: ContinuousClock.Instant)
  }

  /// What a request may do with the login.
  enum Turn {
    case present
    case refused
    /// Not now; in how many seconds.
    case later(Int64)
  }

  enum Verdict {
    case accepted
    case refused
    /// Nobody judged it.
    case unknown
    /// It was refused at one URL, and its own address does not say whether it is right.
    case doubtful
  }

  /// How long a login that was accepted is taken for right.
  private static let trust = Duration.seconds(10)
  private static let capacity = 10_000
  /// How long a doubtful login is not presented: it may have been counted as wrong twice.
  fileprivate static let pause = Duration.seconds(LockoutGuard.pauseAfterLostAnswer)

  private let states = Mutex<[Login: State]>([:])
  private let questions = Mutex<[Login: Question]>([:])

  /// Waits until the login may be presented; ``end(_:_:)`` must follow then.
  func begin(_ credential: Credential) async -> Turn {
    let login = Login(credential)
    return await withCheckedContinuation { turn in
      let answer: Turn? = states.withLock { states in
        switch states[login] {
        case .refused: return .refused
        case .doubtful(let until) where .now < until: return .later(max(1, (until - .now).components.seconds))
        case .proved(let at) where .now - at < Self.trust: return .present
        case .tried(let others):
          states[login] = .tried(by: others + [turn])
          return nil
        case .proved, .doubtful, nil:
          Self.makeRoom(in: &states) { if case .tried = $0 { true } else { false } }
          states[login] = .tried(by: [])
          return .present
        }
      }
      if let answer { turn.resume(returning: answer) }
    }
  }

  /// Says what became of a login that was presented.
  func end(_ credential: Credential, _ verdict: Verdict) {
    let (freed, turn) = states.withLock { $0.end(Login(credential), verdict) }
    for waiting in freed { waiting.resume(returning: turn) }
  }

  /// What `ask` says of a login that a URL has refused; ``end(_:_:)`` must follow here, too.
  ///
  /// It is asked once, however many requests were refused, while no other one presents the login.
  func judge(
    _ credential: Credential, sentAt: ContinuousClock.Instant, by ask: () async -> Verdict
  ) async -> Verdict {
    let login = Login(credential)
    let known: Verdict? = await withCheckedContinuation { waiting in
      let answer: Verdict?? = questions.withLock { $0.join(login, sentAt, waiting) }
      if let answer { waiting.resume(returning: answer) }
    }
    if let known { return known }
    states.withLock { states in
      if case .proved = states[login] { states[login] = .tried(by: []) }
    }
    let verdict = await ask()
    for waiting in questions.withLock({ $0.answer(login, verdict) }) { waiting.resume(returning: verdict) }
    return verdict
  }

  fileprivate static func makeRoom<Value>(in table: inout [Login: Value], keeping: (Value) -> Bool) {
    if table.count >= capacity { table = table.filter { keeping($0.value) } }
  }
}

extension [LoginTrials.Login: LoginTrials.Question] {
  /// `nil` when `waiting` is told later; no verdict when the caller has to ask.
  fileprivate mutating func join(
    _ login: LoginTrials.Login, _ sentAt: ContinuousClock.Instant,
    _ waiting: CheckedContinuation<LoginTrials.Verdict?, Never>
  ) -> LoginTrials.Verdict?? {
    switch self[login] {
    case .asked(let begunAt, let others):
      self[login] = .asked(begunAt: begunAt, by: others + [waiting])
      return nil
    // The login may have changed since an earlier answer.
    case .answered(let verdict, let begunAt) where begunAt > sentAt: return .some(verdict)
    case .answered, nil:
      LoginTrials.makeRoom(in: &self) { if case .asked = $0 { true } else { false } }
      self[login] = .asked(begunAt: .now, by: [])
      return .some(nil)
    }
  }

  /// Who waited for it.
  fileprivate mutating func answer(
    _ login: LoginTrials.Login, _ verdict: LoginTrials.Verdict
  ) -> [CheckedContinuation<LoginTrials.Verdict?, Never>] {
    guard case .asked(let begunAt, let waiting) = self[login] else { return [] }
    self[login] = .answered(verdict, begunAt: begunAt)
    return waiting
  }
}

extension [LoginTrials.Login: LoginTrials.State] {
  /// Who goes on, and how.
  fileprivate mutating func end(
    _ login: LoginTrials.Login, _ verdict: LoginTrials.Verdict
  ) -> (freed: [CheckedContinuation<LoginTrials.Turn, Never>], LoginTrials.Turn) {
    var waiting: [CheckedContinuation<LoginTrials.Turn, Never>] = []
    if case .tried(let others) = self[login] { waiting = others }
    switch (verdict, self[login]) {
    case (.accepted, .refused): return ([], .refused)
    case (.accepted, _):
      self[login] = .proved(at: .now)
      return (waiting, .present)
    case (.refused, _):
      self[login] = .refused
      return (waiting, .refused)
    case (.doubtful, .refused): return ([], .refused)
    case (.doubtful, _):
      self[login] = .doubtful(until: .now + LoginTrials.pause)
      return (waiting, .later(LockoutGuard.pauseAfterLostAnswer))
    case (.unknown, .tried) where waiting.isEmpty:
      self[login] = nil
      return ([], .present)
    case (.unknown, .tried):
      self[login] = .tried(by: Array(waiting.dropFirst()))
      return ([waiting[0]], .present)
    case (.unknown, _): return ([], .present)
    }
  }
}
