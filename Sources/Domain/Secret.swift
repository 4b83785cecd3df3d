import Glibc

/// Bytes that must not be seen: it prints `•••`, compares in constant time, and wipes itself.
///
/// Copies share one buffer; the last one to go wipes it. Strings and arrays made from it cannot be wiped, so they are
/// made only where the bytes leave: a request upstream, an answer to a client, a cipher.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  private let storage: Storage

  public init(_ bytes: [UInt8]) { storage = Storage(bytes) }

  public init(_ text: String) { self.init(Array(text.utf8)) }

  /// A copy of the bytes, made for the place where they leave.
  public var revealed: [UInt8] { storage.copy() }

  /// The bytes as text; malformed UTF-8 becomes U+FFFD.
  public var revealedText: String { String(decoding: revealed, as: UTF8.self) }

  public var isEmpty: Bool { storage.count == 0 }

  public var description: String { "•••" }

  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Compares every byte whatever differs; only the lengths can be told apart by time.
  public static func == (a: Secret, b: Secret) -> Bool { a.storage.isEqual(to: b.storage) }

  /// Owner of the buffer: written once in `init`, wiped and freed in `deinit`.
  ///
  /// Sendable without a lock because nothing changes between the two.
  @safe private final class Storage: @unchecked Sendable {
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    init(_ source: [UInt8]) {
      unsafe bytes = .allocate(capacity: source.count)
      _ = unsafe bytes.initialize(from: source)
    }

    deinit {
      if let start = unsafe bytes.baseAddress { unsafe explicit_bzero(start, bytes.count) }
      unsafe bytes.deallocate()
    }

    var count: Int { unsafe bytes.count }

    func copy() -> [UInt8] { unsafe Array(bytes) }

    func isEqual(to other: Storage) -> Bool {
      guard count == other.count else { return false }
      var difference: UInt8 = 0
      for index in 0..<count { unsafe difference |= bytes[index] ^ other.bytes[index] }
      return difference == 0
    }
  }
}
