/// The prepared statements of one connection, found by their SQL text; the least recently used goes first.
struct StatementCache {
  private let capacity: Int
  private var statements: [UInt64: PreparedStatement] = [:]
  private var clock: UInt64 = 0
  /// What ran last often runs again at once, as in a batch of writes.
  private var latest: PreparedStatement?

  init(capacity: Int) { self.capacity = max(capacity, 1) }

  var count: Int { statements.count }

  mutating func find(_ text: String) -> PreparedStatement? {
    if let latest, latest.text == text { return latest }
    guard let statement = statements[Self.hash(text)], statement.text == text else { return nil }
    use(statement)
    return statement
  }

  mutating func insert(_ statement: PreparedStatement) {
    if statements.count >= capacity, let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      statements[oldest.key] = nil
    }
    use(statement)
    statements[Self.hash(statement.text)] = statement
  }

  private mutating func use(_ statement: PreparedStatement) {
    clock += 1
    statement.lastUse = clock
    latest = statement
  }

  mutating func removeAll() {
    statements = [:]
    latest = nil
  }

  /// FNV-1a over words of eight bytes: SQL texts are our own, so nobody can aim for collisions.
  private static func hash(_ text: String) -> UInt64 {
    let bytes = unsafe text.utf8.span.bytes
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(bytes.byteCount)
    var offset = 0
    while offset + 8 <= bytes.byteCount {
      mix(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self), into: &hash)
      offset += 8
    }
    while offset < bytes.byteCount {
      mix(UInt64(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)), into: &hash)
      offset += 1
    }
    return hash
  }

  private static func mix(_ word: UInt64, into hash: inout UInt64) {
    hash = (hash ^ word) &* 0x100_0000_01b3
    hash ^= hash >> 32
  }
}
