/// A new passkey, as an authenticator made it (WebAuthn Level 2, §7.1).
public struct Registration: Sendable {
  public let credentialID: [UInt8]
  public let key: CredentialKey
  public let counter: UInt32
  /// Whether it may be copied to other devices of its owner.
  public let isBackupEligible: Bool
  /// The challenge that the browser passed on; whether it is ours, and unused, is for the caller to find out.
  public let challenge: String

  /// Reads and checks what the browser sent; the attestation is not asked who made the authenticator.
  public init(clientData: [UInt8], attestation: [UInt8], for party: RelyingParty) throws(WebAuthnFailure) {
    let client = try ClientData(clientData, .registration, party)
    var reader = CBORReader(attestation)
    let object = try reader.value()
    guard reader.isAtEnd, object["fmt"]?.text != nil, let bytes = object["authData"]?.bytes else {
      throw .malformed("The attestation lacks its parts.")
    }
    let data = try AuthenticatorData(bytes)
    try party.check(data, needsVerification: true)
    guard let credential = data.credential else { throw .malformed("There is no new key.") }
    credentialID = credential.id
    key = credential.key
    counter = data.counter
    isBackupEligible = data.isBackupEligible
    challenge = client.challenge
  }
}
