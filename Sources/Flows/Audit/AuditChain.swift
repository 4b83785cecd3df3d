import Crypto
import Domain
import Storage

/// How the audit log is made tamper-evident: committed rows are linked in batches, each with a MAC over the one before.
///
/// A row that is edited, removed or slipped in changes its batch's digest; a batch that is removed breaks the MACs.
struct AuditChain: Sendable {
  let keys: PurposeKeys

  /// SHA-256 over the rows in order, every field with its length.
  static func digest(of records: [AuditRecord]) -> [UInt8] { SHA256.hash(records.flatMap { SHA256.hash($0.payload) }) }

  /// The batch that links `records` after `previous`.
  func batch(linking records: [AuditRecord], after previous: AuditBatch?) -> AuditBatch {
    let key = keys.current(.audit)
    let (number, count) = ((previous?.number ?? 0) + 1, Int64(records.count))
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
}

extension AuditRecord {
  fileprivate var payload: [UInt8] {
    let fields = [
      id, "\(event.at.seconds)", event.name.rawValue, event.outcome.rawValue, event.account?.text ?? "",
      event.client?.text ?? "", event.connection?.text ?? "", event.resource ?? "", event.detail ?? "",
      event.origin.requestID, event.origin.address,
    ]
    return fields.flatMap { field in Array("\(field.utf8.count):\(field)".utf8) }
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
        try tx.insert(chain.batch(linking: records, after: tx.lastAuditBatch()), upTo: last.id)
        return records.count
      }
      if linked < 500 { return }
    }
  }
}

/// Checks the whole chain.
public struct VerifyAudit: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public struct Report: Sendable {
    public let rows: Int64
    public let batches: Int64
    public let unlinkedRows: Int64
    /// The number of the first batch that does not hold, if any.
    public let firstBroken: Int64?
  }

  public func callAsFunction() async throws -> Report {
    let chain = AuditChain(keys: here.purposeKeys)
    var (rows, batches, previous) = (Int64(0), Int64(0), AuditBatch?.none)
    var firstBroken: Int64?
    while firstBroken == nil {
      let after = previous?.number ?? 0
      let page = try await here.store.read { tx in
        try tx.auditBatches(after: after).map { ($0, try tx.auditRecords(inBatch: $0.number)) }
      }
      if page.isEmpty { break }
      for (batch, records) in page {
        guard chain.isIntact(batch, after: previous, records) else {
          firstBroken = batch.number
          break
        }
        rows += batch.rowCount
        batches += 1
        previous = batch
      }
    }
    let unlinked = try await here.store.read { try $0.countUnlinkedAuditRecords() }
    return Report(rows: rows, batches: batches, unlinkedRows: unlinked, firstBroken: firstBroken)
  }
}
