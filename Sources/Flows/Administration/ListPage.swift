import Domain
import Storage

/// One page of a long list.
public struct ListPage<Entry: Sendable>: Sendable {
  /// How many entries a page has.
  public static var size: Int64 { 50 }

  public let entries: [Entry]
  /// How many entries stand on the pages before.
  public let skipped: Int64
  /// How many there are in all.
  public let total: Int64
  /// The cursor of the next page; `nil` on the last one.
  public let next: String?

  /// Whether the list has more pages than this one.
  public var isPart: Bool { skipped > 0 || next != nil }
}

/// A place in one of the lists as its links carry it.
struct ListCursor: Sendable {
  enum List: String, Sendable {
    case accounts
    case clients
    case audit
    case ledger
    case appPasswords
  }

  /// How many entries stand before it.
  let skipped: Int64
  let place: ListPosition

  static let start = ListCursor(skipped: 0, place: .start)
}

extension Installation {
  /// - Throws: `Refusal` when the cursor is not one of ours for this list.
  func cursor(_ link: String?, in list: ListCursor.List) throws -> ListCursor {
    guard let link else { return .start }
    let parts = signedText(link, for: list.rawValue)?.split(
      separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    guard let parts, parts.count == 3, let skipped = Int64(parts[0]) else {
      throw Refusal(.invalidRequest, "This link to a page of the list is damaged. Open the list from its beginning.")
    }
    return ListCursor(skipped: skipped, place: ListPosition(name: String(parts[2]), id: String(parts[1])))
  }

  /// Makes the page that begins at `cursor` from what was read there: one entry more than a page has, if there are so
  /// many.
  func page<Entry>(
    _ read: [Entry], of total: Int64, at cursor: ListCursor, in list: ListCursor.List,
    place: (Entry) -> ListPosition
  ) -> ListPage<Entry> {
    let entries = Array(read.prefix(Int(ListPage<Entry>.size)))
    var next: String?
    if read.count > entries.count, let last = entries.last.map(place) {
      next = signed("\(cursor.skipped + Int64(entries.count))\n\(last.id)\n\(last.name)", for: list.rawValue)
    }
    return ListPage(entries: entries, skipped: cursor.skipped, total: total, next: next)
  }
}
