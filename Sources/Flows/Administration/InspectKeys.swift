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
    /// The tables of what was not opened, which together with the others is all that ``Status`` counts.
    public var leftOut: [(table: String, count: Int64)] = []
  }

  public func status() async throws -> Status {
    let sealed = try await here.store.read { try $0.sealedCounts() }
    return Status(kekID: here.vault.kekID, sealed: sealed)
  }

  /// Opens every lasting sealed value once: our own keys, client secrets at upstreams, credentials.
  ///
  /// What ends by itself soon is left out.
  public func verify() async throws -> Verification {
    let here = here
    return try await here.store.read { tx in
      var result = Verification()
      var checked: [String: Int64] = [:]
      func check(_ sealed: Sealed, _ place: SealContext) {
        checked[place.table, default: 0] += 1
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
      result.leftOut = try tx.sealedTotals().map { ($0, $1 - checked[$0, default: 0]) }.filter { $0.count > 0 }
      return result
    }
  }
}

extension Transaction {
  /// How much is sealed in each table, under whichever key.
  fileprivate func sealedTotals() throws -> [(table: String, count: Int64)] {
    try sealedCounts().reduce(into: []) { totals, entry in
      if totals.last?.table == entry.table {
        totals[totals.count - 1].count += entry.count
      } else {
        totals.append((entry.table, entry.count))
      }
    }
  }
}
