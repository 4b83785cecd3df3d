import Domain
import Storage

/// Tells people of sign-ins at services that have run out by themselves.
public struct TellOfEndings: Sendable {
  private let here: Installation
  /// How many are told in one transaction.
  private static let batchSize: Int64 = 100

  public init(_ here: Installation) { self.here = here }

  public func callAsFunction() async throws {
    let now = here.clock.now()
    while true {
      let ended = try await here.store.read { try $0.untoldEndedCredentials(at: now, limit: Self.batchSize) }
      guard !ended.isEmpty else { return }
      try await here.store.writeInBackground { tx in
        for credential in ended { try here.tellBroken(credential, tx, at: now) }
      }
    }
  }
}
