import Domain
import Storage

/// Checks the whole chain.
public struct VerifyAudit: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public struct Report: Sendable {
    public let rows: Int64
    public let batches: Int64
    public let unlinkedRows: Int64
    /// The number of the first batch that does not hold or is missing, if any.
    public let firstBroken: Int64?
  }

  /// The next links, and what the rest of the store says about the chain at the same moment.
  private struct Page: Sendable {
    let batches: [AuditBatch]
    let end: Int64
    let unlinked: Int64
  }

  public func callAsFunction() async throws -> Report {
    let chain = AuditChain(keys: here.purposeKeys)
    var (rows, previous) = (Int64(0), AuditBatch?.none)
    // Only what stands now: under load links come as fast as they are checked.
    let goal = try await here.store.read {
      max(try $0.lastAuditBatch()?.number ?? 0, chain.number(ofEnd: try $0.setting(AuditChain.end)) ?? 0)
    }
    while true {
      let page = try await page(chain, after: previous?.number ?? 0)
      func report(firstBroken: Int64?) -> Report {
        Report(rows: rows, batches: previous?.number ?? 0, unlinkedRows: page.unlinked, firstBroken: firstBroken)
      }
      for batch in page.batches {
        guard try await holds(batch, after: previous, chain) else {
          return report(firstBroken: (previous?.number ?? 0) + 1)
        }
        rows += batch.rowCount
        previous = batch
      }
      let last = previous?.number ?? 0
      if page.batches.isEmpty { return report(firstBroken: page.end == last ? nil : last + 1) }
      if last >= goal, page.end > last { return report(firstBroken: nil) }
    }
  }

  private func page(_ chain: AuditChain, after number: Int64) async throws -> Page {
    try await here.store.read { tx in
      let batches = try tx.auditBatches(after: number)
      return Page(
        batches: batches, end: chain.number(ofEnd: try tx.setting(AuditChain.end)) ?? 0,
        unlinked: try tx.countAuditRecords(after: tx.lastAuditBatch()?.lastID))
    }
  }

  private func holds(_ batch: AuditBatch, after previous: AuditBatch?, _ chain: AuditChain) async throws -> Bool {
    let lines = try await here.store.read {
      try $0.auditLines(after: previous?.lastID, upTo: batch.lastID, limit: batch.rowCount + 1)
    }
    return chain.isIntact(batch, after: previous, lines)
  }
}
