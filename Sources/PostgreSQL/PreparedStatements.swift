import CPostgreSQL
import SQL

/// What the server has prepared for one connection, found by text and types; the least recently used goes first.
struct PreparedStatements {
  final class Entry {
    let name: String
    /// As its first result had them; a statement whose result changes is refused by the server.
    var columns: Row.Columns?
    fileprivate var lastUse: UInt64 = 0

    fileprivate init(name: String) { self.name = name }
  }

  /// A placeholder is prepared with the type of its value: a NULL leaves it to the server, which may choose another.
  struct Key: Hashable {
    let text: String
    let types: [Oid]

    init(_ statement: Statement) {
      text = statement.text
      types = statement.binds.map(\.serverType)
    }
  }

  private let capacity: Int
  private var entries: [Key: Entry] = [:]
  private var clock: UInt64 = 0

  init(capacity: Int) { self.capacity = max(capacity, 1) }

  mutating func find(_ key: Key) -> Entry? {
    guard let entry = entries[key] else { return nil }
    use(entry)
    return entry
  }

  /// A name for a statement that is about to be prepared, under which nothing is found before it is kept.
  mutating func newEntry() -> Entry {
    clock += 1
    return Entry(name: "s\(clock)")
  }

  mutating func keep(_ entry: Entry, for key: Key) {
    use(entry)
    entries[key] = entry
  }

  /// The entry that has to go to make room, if there is none; it is forgotten.
  mutating func takeSurplus() -> Entry? {
    guard entries.count > capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
      return nil
    }
    entries[oldest.key] = nil
    return oldest.value
  }

  private mutating func use(_ entry: Entry) {
    clock += 1
    entry.lastUse = clock
  }
}
