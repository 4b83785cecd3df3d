import Crypto
import Domain
import Logging
import SQL
import Storage

/// How the audit log is made tamper-evident: committed rows are linked in batches, each with a MAC over the one before.
///
/// A row that is edited, removed or slipped in changes its batch's digest; a batch that is removed breaks the MACs, and
/// the last one cannot go unnoticed either, because the number of the last link is kept with a MAC of its own.
struct AuditChain: Sendable {
  let keys: PurposeKeys

  /// The setting that holds the chain's end.
  static let end = "audit_end"

  /// How many rows one batch takes, so that nobody's write waits long behind the linking.
  static let batchSize: Int64 = 500

  /// SHA-256 over the rows in order, every field with its length.
  static func digest(of lines: [AuditLine]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(lines.count * 256)
    for line in lines { for field in line.fields { field.append(to: &text) } }
    return SHA256.hash(text)
  }

  /// The batch that links `lines` after `previous`.
  ///
  /// `end` is the chain's end as it is kept. When that is not `previous`, somebody has cut the chain, and a number is
  /// left out so that this stays visible.
  func batch(linking lines: [AuditLine], after previous: AuditBatch?, end: String?) -> AuditBatch {
    let key = keys.current(.audit)
    let (last, kept) = (previous?.number ?? 0, number(ofEnd: end) ?? 0)
    let number = last == kept ? last + 1 : max(last, kept) + 2
    let (count, lastID) = (Int64(lines.count), lines.last?.id ?? 0)
    let digest = Self.digest(of: lines)
    let mac = key.mac.authenticate(Self.message(previous, number, lastID, count, digest))
    return AuditBatch(number: number, lastID: lastID, rowCount: count, digest: digest, keyID: key.id, mac: mac)
  }

  /// Whether `batch` follows `previous` and links exactly `lines`.
  func isIntact(_ batch: AuditBatch, after previous: AuditBatch?, _ lines: [AuditLine]) -> Bool {
    guard let key = keys.key(batch.keyID, for: .audit), batch.number == (previous?.number ?? 0) + 1 else {
      return false
    }
    guard batch.rowCount == Int64(lines.count), batch.lastID == lines.last?.id, batch.digest == Self.digest(of: lines)
    else { return false }
    let message = Self.message(previous, batch.number, batch.lastID, batch.rowCount, batch.digest)
    return key.mac.isValid(batch.mac, for: message)
  }

  private static func message(
    _ previous: AuditBatch?, _ number: Int64, _ lastID: Int64, _ count: Int64, _ digest: [UInt8]
  ) -> [UInt8] {
    Array("\(number) \(lastID) \(count) ".utf8) + (previous?.mac ?? []) + digest
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

extension Value {
  fileprivate func append(to text: inout [UInt8]) {
    switch self {
    case .null: text.append(UInt8(ascii: "-"))
    case .integer(let number):
      Self.append(number, to: &text)
      text.append(UInt8(ascii: ";"))
    case .text(let value): Self.append(value.utf8.span, UInt8(ascii: ":"), to: &text)
    case .bytes(let value): Self.append(value.span, UInt8(ascii: "#"), to: &text)
    }
  }

  private static func append(_ value: Span<UInt8>, _ mark: UInt8, to text: inout [UInt8]) {
    append(Int64(value.count), to: &text)
    text.append(mark)
    append(value, to: &text)
  }

  private static func append(_ number: Int64, to text: inout [UInt8]) {
    let digits = String(number)
    append(digits.utf8.span, to: &text)
  }

  private static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
    text.append(addingCapacity: bytes.count) { output in
      for position in bytes.indices { output.append(bytes[position]) }
    }
  }
}

/// Links committed audit rows into the chain, in the background.
public struct LinkAudit: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Links what stands unlinked now, batch after batch.
  ///
  /// The rows are read and hashed outside the writing transaction, which would hold up everybody's writes: what is
  /// committed never changes, and nothing comes before it later.
  public func callAsFunction() async throws {
    let chain = AuditChain(keys: here.purposeKeys)
    guard let newest = try await here.store.read({ try $0.newestAuditID() }) else { return }
    while true {
      let (previous, lines, end) = try await here.store.read { tx in
        let previous = try tx.lastAuditBatch()
        let lines = try tx.auditLines(after: previous?.lastID, upTo: newest, limit: AuditChain.batchSize)
        return (previous, lines, try tx.setting(AuditChain.end))
      }
      if lines.isEmpty { return }
      let batch = chain.batch(linking: lines, after: previous, end: end)
      try await here.store.writeAuditInBackground { tx in
        // Somebody else has linked them meanwhile.
        guard try tx.lastAuditBatch()?.number == previous?.number else { return }
        try tx.insert(batch)
        try tx.set(AuditChain.end, to: chain.end(at: batch.number))
      }
      if lines.count < AuditChain.batchSize { return }
      try await Task.sleep(for: Self.breath)
    }
  }

  /// The pause after a full batch: in one go, the linking of a busy second would hold up everybody for too long.
  private static let breath = Duration.milliseconds(10)

  /// Writes the chain's last link into the log, which is kept elsewhere.
  ///
  /// An older copy of the whole database is intact in itself: only who noted a later link can tell that it is older.
  public func tellEnd() async throws {
    guard let last = try await here.store.read({ try $0.lastAuditBatch() }) else { return }
    here.log.info(
      "the audit log's last link",
      ["number": .int(Int(last.number)), "mac": .string(Hex.encode(Array(last.mac.prefix(8))))])
  }
}
