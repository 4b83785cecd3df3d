/// What an authenticator says about a key and the person (WebAuthn Level 2, §6.1).
struct AuthenticatorData {
  let relyingPartyHash: [UInt8]
  let isUserPresent: Bool
  let isUserVerified: Bool
  let isBackupEligible: Bool
  let isBackedUp: Bool
  let counter: UInt32
  /// Only of a new key.
  let credential: AttestedCredential?

  struct AttestedCredential {
    let id: [UInt8]
    let key: CredentialKey
  }

  /// In bytes (§5.8.3 of Level 3).
  static let longestID = 1023

  init(_ bytes: [UInt8]) throws(WebAuthnFailure) {
    guard bytes.count >= 37 else { throw .malformed("The authenticator data is too short.") }
    relyingPartyHash = Array(bytes[..<32])
    let flags = bytes[32]
    isUserPresent = flags & 0x01 != 0
    isUserVerified = flags & 0x04 != 0
    isBackupEligible = flags & 0x08 != 0
    isBackedUp = flags & 0x10 != 0
    counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    guard isBackupEligible || !isBackedUp else {
      throw .malformed("The authenticator data says of a key that it is copied and cannot be copied.")
    }
    var reader = CBORReader(bytes, at: 37)
    if flags & 0x40 != 0 {
      (credential, reader) = try Self.credential(bytes)
    } else {
      credential = nil
    }
    if flags & 0x80 != 0 { _ = try reader.value() }
    guard reader.isAtEnd else { throw .malformed("Something follows the authenticator data.") }
  }

  /// The new key behind the fixed part, and what reads what follows it (§6.5.1).
  private static func credential(_ bytes: [UInt8]) throws(WebAuthnFailure) -> (AttestedCredential, CBORReader) {
    // The kind of authenticator stands before, which nobody is asked to prove.
    let start = 37 + 16
    guard bytes.count >= start + 2 else { throw .malformed("The new key is cut off.") }
    let count = Int(bytes[start]) << 8 | Int(bytes[start + 1])
    guard (1...longestID).contains(count), bytes.count >= start + 2 + count else {
      throw .malformed("The id of the new key is empty, too long or cut off.")
    }
    var reader = CBORReader(bytes, at: start + 2 + count)
    let key = try CredentialKey(cose: reader.value())
    return (AttestedCredential(id: Array(bytes[(start + 2)..<(start + 2 + count)]), key: key), reader)
  }
}
