public import Domain
import Storage

/// Signs other browsers out of an account, with what they gave to apps; what is stored for its services stays.
public struct EndSessions: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public enum Choice: Sendable {
    /// The one of this public id.
    case one(String)
    /// All but those of the browser that asks.
    case allBut(Set<TokenHash>)

    func means(_ session: BrowserSession) -> Bool {
      switch self {
      case .one(let id): session.publicID == id
      case .allBut(let kept): !kept.contains(session.hash)
      }
    }
  }

  /// Tells the apps that want to know, and returns how many live sessions have ended.
  public func callAsFunction(_ choice: Choice, of account: AccountID, _ visitor: Visitor) async throws -> Int {
    let end = ending(choice, of: account, visitor)
    let (count, notices) = try await here.store.write { try end($0) }
    await NotifyClients(here).tell(notices)
    return count
  }

  /// The writes that end them, to be run in the transaction of what makes it necessary.
  func ending(
    _ choice: Choice, of account: AccountID, _ visitor: Visitor
  ) -> @Sendable (Transaction) throws -> (count: Int, notices: [LogoutNotice]) {
    let (now, notify) = (here.clock.now(), NotifyClients(here))
    let ended = here.recording(
      AuditEvent(.sessionEnded, at: now, origin: visitor.origin, account: account, detail: "another browser"))
    return { tx in
      var (count, notices): (Int, [LogoutNotice]) = (0, [])
      // Who is shown the door must not come back by an address that they wanted to give the account.
      try tx.deleteEmailChange(of: account)
      for session in try tx.sessions(of: account) where choice.means(session) {
        notices += try notify.note(session.hash, tx, at: now)
        try tx.revokeFamilies(ofSession: session.hash, at: now)
        try tx.deleteSession(session.hash)
        guard session.isLive(at: now) else { continue }
        try ended(tx)
        count += 1
      }
      return (count, notices)
    }
  }
}
