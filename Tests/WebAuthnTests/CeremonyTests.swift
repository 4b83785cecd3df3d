import Crypto
import TestAuthenticator
import Testing

@testable import WebAuthn

@Suite("Passkeys")
struct CeremonyTests {
  private static let party = RelyingParty(id: "gate.example", origin: "https://gate.example")
  private static let types = (create: "webauthn.create", get: "webauthn.get")

  private func authenticator(_ algorithm: SignatureAlgorithm = .es256) throws -> TestAuthenticator {
    try TestAuthenticator(relyingParty: "gate.example", origin: "https://gate.example", algorithm: algorithm)
  }

  private func register(_ device: TestAuthenticator, _ type: String = types.create) throws -> Registration {
    try Registration(
      clientData: device.clientData(type, challenge: "c"), attestation: device.attestation, for: Self.party)
  }

  private func answer(_ device: TestAuthenticator, _ type: String = types.get) throws -> Assertion {
    let clientData = device.clientData(type, challenge: "c")
    return Assertion(
      credentialID: device.credential, userHandle: nil, clientData: clientData, authenticatorData: device.answerData,
      signature: try device.signature(over: clientData))
  }

  @Test("prove who made them, whichever algorithm they have", arguments: [SignatureAlgorithm.es256, .edDSA, .rs256])
  func wholeLife(algorithm: SignatureAlgorithm) throws {
    var device = try authenticator(algorithm)
    let made = try register(device)
    #expect(made.credentialID == device.credential && made.key.algorithm == algorithm && made.counter == 1)
    #expect(made.challenge == Base64URL.encode(Array("c".utf8)))
    device.counter = 2
    let proof = try answer(device).verified(by: made.key, counter: 1, for: Self.party, needsVerification: true)
    #expect(proof.counter == 2 && proof.isUserVerified && proof.challenge == made.challenge)
    let other = try register(try authenticator(algorithm))
    #expect(throws: WebAuthnFailure.wrongSignature) {
      try answer(device).verified(by: other.key, counter: 1, for: Self.party, needsVerification: true)
    }
  }

  /// What somebody may do to what an authenticator and a browser say.
  enum Lie: CaseIterable {
    case origin, subdomain, port, relyingParty, nobodyThere, notVerified, otherCeremony, inAFrame, impossibleBackup
  }

  private func lying(_ lie: Lie) throws -> (TestAuthenticator, type: (create: String, get: String)) {
    var device = try authenticator()
    switch lie {
    case .origin: device.origin = "https://evil.example"
    case .subdomain: device.origin = "https://gate.example.evil.example"
    case .port: device.origin = "https://gate.example:8443"
    case .relyingParty: device.relyingParty = "evil.example"
    case .nobodyThere: device.flags = 0x04
    case .notVerified: device.flags = 0x01
    case .inAFrame: device.crossOrigin = true
    case .impossibleBackup: device.flags = 0x15
    case .otherCeremony: return (device, (Self.types.get, Self.types.create))
    }
    return (device, Self.types)
  }

  @Test("are believed only for this origin, this host and this ceremony, from a person", arguments: Lie.allCases)
  func lies(lie: Lie) throws {
    let (device, type) = try lying(lie)
    #expect(throws: WebAuthnFailure.self) { try register(device, type.create) }
    let key = try CredentialKey(
      algorithm: .es256,
      publicKeyInfo: VerificationKey(device.key.publicKey.parameters, algorithm: .es256).publicKeyInfo())
    #expect(throws: WebAuthnFailure.self) {
      try answer(device, type.get).verified(by: key, counter: 0, for: Self.party, needsVerification: true)
    }
  }

  @Test(
    "whose counter went back or stands still may be copies, but for those that never count",
    arguments: [(5, 5, false), (5, 4, false), (5, 6, true), (0, 0, true), (1, 0, false), (0, 1, true)]
      as [(UInt32, UInt32, Bool)])
  func counters(before: UInt32, now: UInt32, isBelieved: Bool) throws {
    var device = try authenticator()
    let key = try register(device).key
    device.counter = now
    let result = Result { [device] in
      try answer(device).verified(by: key, counter: before, for: Self.party, needsVerification: true)
    }
    #expect(((try? result.get()) != nil) == isBelieved)
  }

  @Test("are refused when their data is cut off anywhere")
  func cutOff() throws {
    let device = try authenticator()
    let whole = device.newKeyData
    for count in 0..<whole.count {
      #expect(throws: WebAuthnFailure.self) { try AuthenticatorData(Array(whole.prefix(count))) }
    }
    #expect(throws: WebAuthnFailure.self) { try AuthenticatorData(whole + [0]) }
    #expect(try AuthenticatorData(whole).credential?.id == device.credential)
    let attestation = device.attestation
    for count in 0..<attestation.count {
      #expect(throws: WebAuthnFailure.self) {
        try Registration(
          clientData: device.clientData(Self.types.create, challenge: "c"),
          attestation: Array(attestation.prefix(count)), for: Self.party)
      }
    }
  }

  @Test("are refused when client data or a signature was changed")
  func changed() throws {
    let device = try authenticator()
    let key = try register(device).key
    let clientData = device.clientData(Self.types.get, challenge: "c")
    let signature = try device.signature(over: clientData)
    func believed(_ clientData: [UInt8], _ data: [UInt8], _ signature: [UInt8]) -> Bool {
      let assertion = Assertion(
        credentialID: [1], userHandle: nil, clientData: clientData, authenticatorData: data, signature: signature)
      do {
        _ = try assertion.verified(by: key, counter: 0, for: Self.party, needsVerification: true)
        return true
      } catch { return false }
    }
    #expect(believed(clientData, device.answerData, signature))
    #expect(!believed(device.clientData(Self.types.get, challenge: "d"), device.answerData, signature))
    var counted = device
    counted.counter = 9
    #expect(!believed(clientData, counted.answerData, signature))
    #expect(!believed(clientData, device.answerData, Array(signature.dropLast())))
    #expect(!believed(clientData, device.answerData, signature + [0]))
    #expect(!believed(clientData, device.answerData, []))
    for text in ["", "{}", "[]", "{\"type\":1}", String(repeating: "a", count: 9000)] {
      #expect(!believed(Array(text.utf8), device.answerData, signature))
    }
  }

  @Test(
    "have keys of no other kind",
    arguments: [
      [], [(1, 2), (3, -7), (-1, 2)], [(1, 2), (3, -35), (-1, 1)], [(1, 3), (3, -7), (-1, 1)], [(1, 4), (3, -7)],
      [(1, 2), (3, -7), (-1, 1)], [(1, 1), (3, -8), (-1, 6)], [(1, 3), (3, -257)],
    ] as [[(Int64, Int64)]])
  func foreignKeys(members: [(Int64, Int64)]) {
    let cose = CBOR.map(members.map { (.integer($0.0), .integer($0.1)) })
    #expect(throws: WebAuthnFailure.self) { try CredentialKey(cose: cose) }
  }

  @Test("have keys whose point is on the curve")
  func offTheCurve() {
    let point = CBOR.bytes([UInt8](repeating: 1, count: 32))
    let cose = CBOR.map([
      (.integer(1), .integer(2)), (.integer(3), .integer(-7)), (.integer(-1), .integer(1)), (.integer(-2), point),
      (.integer(-3), point),
    ])
    #expect(throws: WebAuthnFailure.self) { try CredentialKey(cose: cose) }
  }
}
