/// A value as the store holds it: encrypted under a key of its own, which is wrapped under the key-encryption key.
///
/// Deleting the row deletes the wrapped key, and with it every way to read the value.
public struct Sealed: Sendable, Equatable {
  /// The short id of the key-encryption key that wraps ``wrappedKey``.
  public let kekID: String
  public let wrappedKey: [UInt8]
  /// Version, nonce, ciphertext and tag.
  public let box: [UInt8]

  public init(kekID: String, wrappedKey: [UInt8], box: [UInt8]) {
    self.kekID = kekID
    self.wrappedKey = wrappedKey
    self.box = box
  }
}

/// What a sealed value belongs to; it opens only in exactly this place.
///
/// Moving the bytes to another row, column, account or connection, or changing the connection's endpoints, makes them
/// unreadable (reference: KM-04).
public struct SealContext: Sendable, Hashable {
  public let table: String
  public let column: String
  public let row: String
  public let account: String
  /// The connection's id, origin and revision, or nothing for what belongs to no connection.
  public let binding: String

  public init(table: String, column: String, row: String, account: String = "", binding: String = "") {
    self.table = table
    self.column = column
    self.row = row
    self.account = account
    self.binding = binding
  }

  /// Every part with its length before it, so that no two contexts give the same bytes.
  public var bytes: [UInt8] {
    [table, column, row, account, binding].flatMap { part in
      let bytes = Array(part.utf8)
      return withLength(bytes)
    }
  }

  private func withLength(_ bytes: [UInt8]) -> [UInt8] {
    let count = UInt32(bytes.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + bytes
  }
}
