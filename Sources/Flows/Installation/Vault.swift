import Crypto
public import Domain

/// Seals values for the store and opens them again (envelope encryption; reference: KM-03, KM-04).
///
/// Each value is encrypted with AES-256-GCM under a random key of its own; that key is wrapped (AES-KW, RFC 3394) under
/// a key derived from the key-encryption key and the value's place.
public struct Vault: Sendable {
  private static let version: UInt8 = 1
  private let kek: KeyEncryptionKey

  public init(_ kek: KeyEncryptionKey) { self.kek = kek }

  public var kekID: String { kek.id }

  public func seal(_ value: Secret, in context: SealContext) throws -> Sealed {
    var dataKey = Random.bytes(AESGCM.keySize)
    defer { cleanse(&dataKey) }
    let box = try AESGCM(key: dataKey).seal(value.revealed, context: associatedData(context))
    return Sealed(
      kekID: kek.id, wrappedKey: try wrapping(context).wrap(dataKey), box: [Self.version] + box)
  }

  /// Opens a sealed value in the place it was sealed for.
  ///
  /// - Throws: ``KeyFailure/notAuthentic`` when a bit or the place differs, ``KeyFailure/wrongKey(needed:given:)`` when
  ///   another key-encryption key wraps it.
  public func open(_ sealed: Sealed, in context: SealContext) throws(KeyFailure) -> Secret {
    guard sealed.kekID == kek.id else { throw .wrongKey(needed: [sealed.kekID], given: kek.id) }
    guard sealed.box.first == Self.version else { throw .notAuthentic }
    do {
      var dataKey = try wrapping(context).unwrap(sealed.wrappedKey)
      defer { cleanse(&dataKey) }
      return Secret(
        try AESGCM(key: dataKey).open(Array(sealed.box.dropFirst()), context: associatedData(context)))
    } catch { throw .notAuthentic }
  }

  private func wrapping(_ context: SealContext) -> KeyWrap {
    KeyWrap(key: kek.derived("wrap/v1|\(context.table)|\(context.column)|\(context.row)"))
  }

  private func associatedData(_ context: SealContext) -> [UInt8] { [Self.version] + context.bytes }
}
