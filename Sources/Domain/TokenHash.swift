/// The SHA-256 of a token, code, cookie or link of ours: the only form in which the store holds one.
///
/// Such values carry 256 random bits, so a plain hash cannot be reversed by guessing.
public struct TokenHash: Sendable, Hashable {
  public let bytes: [UInt8]

  public init(bytes: [UInt8]) { self.bytes = bytes }
}
