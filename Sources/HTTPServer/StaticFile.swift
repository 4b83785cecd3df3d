import HTTP

/// One file as it is served: its bytes, compressed and not, and what tells its versions apart.
struct StaticFile: Sendable {
  let type: FieldValue
  let plain: Representation
  let compressed: Representation?
  /// The file's name with the fingerprint of its content, `style.3f2a9c1d.css`.
  let hashedName: String

  struct Representation: Sendable {
    let bytes: [UInt8]
    let entityTag: EntityTag
  }

  /// - Returns: `nil` when files of this kind are not served.
  init?(name: String, bytes: [UInt8]) {
    let fingerprint = Self.fingerprint(of: bytes)
    guard let type = ContentType.of(name), let dot = name.lastIndex(of: "."),
      let plainTag = EntityTag(fingerprint), let compressedTag = EntityTag("\(fingerprint)-gz")
    else { return nil }
    self.type = type.value
    plain = Representation(bytes: bytes, entityTag: plainTag)
    compressed =
      type.isText
      ? Gzip.compress(bytes).map { Representation(bytes: $0, entityTag: compressedTag) } : nil
    hashedName = "\(name[..<dot]).\(fingerprint.prefix(8))\(name[dot...])"
  }

  /// 64-bit FNV-1a as 16 hexadecimal digits: tells versions apart, and need not withstand anybody.
  private static func fingerprint(of bytes: [UInt8]) -> String {
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
