import Crypto
import Domain
import Storage

/// How the audit log is made tamper-evident: committed rows are linked in batches, each with a MAC over the one before.
///
/// A row that is edited, removed or slipped in changes its batch's digest; a batch that is removed breaks the MACs, and
/// the last one cannot go unnoticed either, because the number of the last link is kept with a MAC of its own.
struct AuditChain: Sendable {
  let keys: PurposeKeys

  /// The setting that holds the chain's end.
  static let end = "audit_end"

  /// SHA-256 over the rows in order, every field with its length.
  static func digest(of records: [AuditRecord]) -> [UInt8] { SHA256.hash(records.flatMap { SHA256.hash($0.payload) }) }

  /// The batch that links `records` after `previous`.
  ///
  /// `end` is the chain's end as it is kept. When that is not `previous`, somebody has cut the chain, and a number is
  /// left out so that this stays visible.
  func batch(linking records: [AuditRecord], after previous: AuditBatch?, end: String?) -> AuditBatch {
    let key = keys.current(.audit)
    let (last, kept) = (previous?.number ?? 0, number(ofEnd: end) ?? 0)
    let number = last == kept ? last + 1 : max(last, kept) + 2
    let count = Int64(records.count)
    let digest = Self.digest(of: records)
    let mac = key.mac.authenticate(Self.message(previous, number, count, digest))
    return AuditBatch(number: number, rowCount: count, digest: digest, keyID: key.id, mac: mac)
  }

  /// Whether `batch` follows `previous` and links exactly `records`.
  func isIntact(_ batch: AuditBatch, after previous: AuditBatch?, _ records: [AuditRecord]) -> Bool {
    guard let key = keys.key(batch.keyID, for: .audit), batch.number == (previous?.number ?? 0) + 1 else {
      return false
    }
    guard batch.rowCount == Int64(records.count), batch.digest == Self.digest(of: records) else { return false }
    return key.mac.isValid(batch.mac, for: Self.message(previous, batch.number, batch.rowCount, batch.digest))
  }

  private static func message(_ previous: AuditBatch?, _ number: Int64, _ count: Int64, _ digest: [UInt8]) -> [UInt8] {
    Array("\(number) \(count) ".utf8) + (previous?.mac ?? []) + digest
  }

  /// The text that says that the chain ends with the link `number`.
  func end(at number: Int64) -> String {
    let key = keys.current(.audit)
    return "\(number) \(key.id) \(Hex.encode(key.mac.authenticate(Array("end \(number)".utf8))))"
  }

  /// The number that ``end(at:)`` was told; `nil` for nothing, or for what we did not write.
  func number(ofEnd text: String?) -> Int64? {
    let words = (text ?? "").split(separator: " ").map(String.init)
    guard words.count == 3, let number = Int64(words[0]), let key = keys.key(words[1], for: .audit),
      let mac = Hex.decode(words[2]), key.mac.isValid(mac, for: Array("end \(number)".utf8))
    else { return nil }
    return number
  }
}

extension AuditRecord {
  fileprivate var payload: [UInt8] {
    let fields: [String?] = [
      id, "\(event.at.seconds)", event.name.rawValue, event.outcome.rawValue, event.account?.text,
      event.client?.text, event.connection?.text, event.resource, event.detail, event.origin.requestID,
      event.origin.address,
    ]
    return fields.flatMap { field in Array((field.map { "\($0.utf8.count):\($0)" } ?? "-").utf8) }
  }
}

/// Links committed audit rows into the chain, in the background.
public struct LinkAudit: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Links what stands unlinked, at most 500 rows a transaction.
  public func callAsFunction() async throws {
    let chain = AuditChain(keys: here.purposeKeys)
    while true {
      let linked = try await here.store.writeInBackground { tx in
        let records = try tx.unlinkedAuditRecords()
        guard let last = records.last else { return 0 }
        let batch = try chain.batch(linking: records, after: tx.lastAuditBatch(), end: tx.setting(AuditChain.end))
        try tx.insert(batch, upTo: last.id)
        try tx.set(AuditChain.end, to: chain.end(at: batch.number))
        return records.count
      }
      if linked < 500 { return }
    }
  }
}
