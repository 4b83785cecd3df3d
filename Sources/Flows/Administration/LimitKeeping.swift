public import Domain
import Storage

/// Sets how long a connection keeps at most what people connect, also what they have connected already.
public struct LimitKeeping: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What is over a limit of `days` is not vended from now on, and is disconnected within a minute as at a sign-out; `nil`
  /// is no limit, and lengthens nothing that was connected under one.
  ///
  /// - Throws: `Refusal` with a sentence for the administrator, who is `nil` on the command line.
  public func callAsFunction(
    _ days: Int64?, of id: ConnectionID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws {
    if let days, !Keeping.longestDays.contains(days) {
      throw Refusal(.invalidRequest, "Enter 1 to \(Keeping.longestDays.upperBound) days.")
    }
    let changed = here.recording(
      AuditEvent(
        .connectionChanged, at: here.clock.now(), origin: visitor.origin, account: administrator, connection: id,
        detail: days.map { "kept \($0) days at most" } ?? "kept without limit"))
    let refusal: Refusal? = try await here.store.write { tx in
      guard var connection = try tx.connection(id) else {
        return Refusal(.notFound, "There is no connection called \(id).")
      }
      guard !connection.kind.isServiceOwned else {
        return Refusal(.invalidRequest, "\(connection.name) is nobody's, so that there is nothing to limit.")
      }
      connection.longestKeptDays = days
      try tx.setOptions(of: connection)
      if let days { try tx.limitKeeping(of: id, to: days * 24 * 60 * 60) }
      try changed(tx)
      return nil
    }
    if let refusal { throw refusal }
  }
}
