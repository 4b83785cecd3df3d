import Domain
import Storage

/// Shows and checks what is sealed.
public struct InspectKeys: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public struct Status: Sendable {
    public let kekID: String
    public let sealed: [(table: String, kekID: String, count: Int64)]
  }

  public struct Verification: Sendable {
    /// How many sealed values open in their place.
    public var opened: Int64 = 0
    /// The places of those that do not.
    public var broken: [String] = []
  }

  public func status() async throws -> Status {
    let sealed = try await here.store.read { try $0.sealedCounts() }
    return Status(kekID: here.vault.kekID, sealed: sealed)
  }

  /// Opens every lasting sealed value once: our own keys, client secrets at upstreams, credentials.
  public func verify() async throws -> Verification {
    let here = here
    return try await here.store.read { tx in
      var result = Verification()
      func check(_ sealed: Sealed, _ place: SealContext) {
        do {
          _ = try here.vault.open(sealed, in: place)
          result.opened += 1
        } catch { result.broken.append("\(place.table) \(place.row)") }
      }
      for key in try tx.purposeKeys() { check(key.sealed, PurposeKeys.place(key.id)) }
      for key in try tx.signingKeys() { check(key.sealed, SigningKeys.place(key.id)) }
      for connection in try tx.connections() {
        if let sealed = try tx.connectionSecret(connection.id) { check(sealed, connection.secretContext) }
        for (credential, sealed) in try tx.sealedCredentials(at: connection.id) {
          check(sealed, connection.sealContext(for: credential.id, of: credential.account))
        }
      }
      return result
    }
  }
}
