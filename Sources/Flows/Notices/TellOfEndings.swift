import Domain
import Storage

/// Tells people of sign-ins at services that have run out by themselves, and administrators' systems of those that will.
public struct TellOfEndings: Sendable {
  private let here: Installation
  /// How many are told in one transaction.
  private static let batchSize: Int64 = 100

  public init(_ here: Installation) { self.here = here }

  public func callAsFunction() async throws {
    let now = here.clock.now()
    try await tellOfEnded(at: now)
    while try await tellOfEnding(at: now) > 0 { try Task.checkCancellation() }
  }

  /// How many will end soon that nothing was told of; nobody looks where no system wants to know.
  private func tellOfEnding(at now: Timestamp) async throws -> Int {
    let ending = try await here.store.read { tx in
      let isWanted = try tx.webhooks().contains { $0.events.contains(.credentialExpiring) }
      return isWanted ? try tx.untoldEndingCredentials(at: now, limit: Self.batchSize) : []
    }
    guard !ending.isEmpty else { return 0 }
    try await here.store.writeInBackground { tx in
      for credential in ending where try tx.noteEnding(credential.id, at: now) {
        let facts = WebhookFacts(
          account: credential.account, connection: credential.connection, endsAt: credential.endsAt)
        try here.announce(.credentialExpiring, facts, tx, at: now)
      }
    }
    return ending.count
  }

  private func tellOfEnded(at now: Timestamp) async throws {
    while true {
      let ended = try await here.store.read { try $0.untoldEndedCredentials(at: now, limit: Self.batchSize) }
      guard !ended.isEmpty else { return }
      try await here.store.writeInBackground { tx in
        for credential in ended { try here.tellBroken(credential, tx, at: now) }
      }
    }
  }
}
