import Crypto
import Domain
import Logging
import Storage
import WebAuthn

/// What a browser sent of a passkey: an answer to a challenge of ours.
public struct PasskeyAnswer: Sendable {
  let assertion: Assertion

  /// Takes the parts in base64url, as the page sends them; `nil` when one is not readable.
  public init?(
    credential: String, userHandle: String, clientData: String, authenticatorData: String, signature: String
  ) {
    guard let id = Base64URL.decode(credential), !id.isEmpty, let handle = Base64URL.decode(userHandle),
      let client = Base64URL.decode(clientData), let data = Base64URL.decode(authenticatorData),
      let signature = Base64URL.decode(signature)
    else { return nil }
    assertion = Assertion(
      credentialID: id, userHandle: handle.isEmpty ? nil : handle, clientData: client, authenticatorData: data,
      signature: signature)
  }
}

/// A passkey that proved its owner, with what uses up the proof.
struct PasskeyProof: Sendable {
  let passkey: Passkey
  let counter: Int64
  let challenge: PasskeyChallenge

  /// Uses up the challenge and notes the counter; `false` when either was done before.
  func isTaken(_ tx: Transaction, at now: Timestamp) throws -> Bool {
    try challenge.isTaken(tx) && tx.use(passkey, counter: counter, at: now)
  }
}

extension Installation {
  /// Checks an answer; `nil` when it proves nothing, which the log tells the reason of.
  func proof(
    of answer: PasskeyAnswer, for purpose: PasskeyChallenge.Purpose, needsVerification: Bool
  ) async throws -> PasskeyProof? {
    let assertion = answer.assertion
    guard let party = relyingParty,
      let passkey = try await store.read({ try $0.passkey(credential: assertion.credentialID) }),
      let algorithm = SignatureAlgorithm(rawValue: passkey.algorithm)
    else { return nil }
    // Who the authenticator says it is has to be whose key it is (WebAuthn Level 2, §7.2 step 6).
    let isTheirs = assertion.userHandle.map { $0 == Array(passkey.account.text.utf8) } ?? !needsVerification
    guard isTheirs else { return nil }
    do throws(WebAuthnFailure) {
      let key = CredentialKey(algorithm: algorithm, publicKeyInfo: passkey.publicKey)
      let proof = try assertion.verified(
        by: key, counter: UInt32(truncatingIfNeeded: passkey.counter), for: party, needsVerification: needsVerification)
      guard let challenge = challenge(proof.challenge, for: purpose) else { return nil }
      return PasskeyProof(passkey: passkey, counter: Int64(proof.counter), challenge: challenge)
    } catch {
      log.warning(
        "a passkey was not believed",
        ["account": .string(passkey.account.text), "why": .string(error.description)])
      return nil
    }
  }
}
