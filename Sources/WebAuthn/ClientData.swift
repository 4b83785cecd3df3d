import Crypto
import JSON

/// What the browser says it asked the authenticator (WebAuthn Level 2, §5.8.1).
struct ClientData {
  enum Ceremony: String {
    case registration = "webauthn.create"
    case assertion = "webauthn.get"
  }

  /// In base64url, as it stood in what was asked.
  let challenge: String
  let hash: [UInt8]

  init(_ bytes: [UInt8], _ ceremony: Ceremony, _ party: RelyingParty) throws(WebAuthnFailure) {
    let json: JSONValue
    do { json = try JSONValue(parsing: bytes, limits: JSONLimits(size: 8 * 1024, depth: 4)) } catch {
      throw .malformed("The client data is no JSON.")
    }
    guard json.string("type") == ceremony.rawValue else { throw .mismatch("The client data is for something else.") }
    guard json.string("origin")?.utf8.elementsEqual(party.origin.utf8) == true else {
      throw .mismatch("The client data is of another origin.")
    }
    guard json.bool("crossOrigin") != true else { throw .mismatch("The page stood inside one of another origin.") }
    guard let challenge = json.string("challenge") else { throw .malformed("The client data has no challenge.") }
    self.challenge = challenge
    hash = SHA256.hash(bytes)
  }
}

/// For whom keys are made and sign: this installation.
public struct RelyingParty: Sendable, Equatable {
  /// The host of our URL.
  public let id: String
  /// Scheme, host and port, as browsers write them.
  public let origin: String

  public init(id: String, origin: String) {
    self.id = id
    self.origin = origin
  }

  func check(_ data: AuthenticatorData, needsVerification: Bool) throws(WebAuthnFailure) {
    guard data.relyingPartyHash == SHA256.hash(id) else { throw .mismatch("The key is for another host.") }
    guard data.isUserPresent else { throw .mismatch("Nobody was there.") }
    guard data.isUserVerified || !needsVerification else {
      throw .mismatch("The authenticator did not verify the person.")
    }
  }
}
