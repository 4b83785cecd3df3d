/// A passkey's answer to a challenge (WebAuthn Level 2, §7.2).
public struct Assertion: Sendable {
  public let credentialID: [UInt8]
  /// Whose the key is, as it was told when it was made; `nil` when the authenticator does not say.
  public let userHandle: [UInt8]?
  private let clientData: [UInt8]
  private let authenticatorData: [UInt8]
  private let signature: [UInt8]

  public init(
    credentialID: [UInt8], userHandle: [UInt8]?, clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]
  ) {
    self.credentialID = credentialID
    self.userHandle = userHandle
    self.clientData = clientData
    self.authenticatorData = authenticatorData
    self.signature = signature
  }

  /// What a checked answer says.
  public struct Proof: Sendable {
    public let counter: UInt32
    public let isUserVerified: Bool
    /// The challenge that was signed; whether it is ours, and unused, is for the caller to find out.
    public let challenge: String
  }

  /// Checks the answer by the key that was stored, whose counter stood at `counter`.
  public func verified(
    by key: CredentialKey, counter: UInt32, for party: RelyingParty, needsVerification: Bool
  ) throws(WebAuthnFailure) -> Proof {
    let client = try ClientData(clientData, .assertion, party)
    let data = try AuthenticatorData(authenticatorData)
    try party.check(data, needsVerification: needsVerification)
    guard key.isValid(signature, for: authenticatorData + client.hash) else { throw .wrongSignature }
    // Keys that are copied between devices do not count.
    guard data.counter > counter || data.counter == 0 && counter == 0 else { throw .counterWentBack }
    return Proof(counter: data.counter, isUserVerified: data.isUserVerified, challenge: client.challenge)
  }
}
