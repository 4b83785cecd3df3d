/// A place in a list that is sorted by name: the last entry before it.
public struct ListPosition: Sendable, Equatable {
  public let name: String
  public let id: String

  public init(name: String, id: String) {
    self.name = name
    self.id = id
  }

  /// Before the first entry: no entry has an empty id.
  public static let start = ListPosition(name: "", id: "")
}
