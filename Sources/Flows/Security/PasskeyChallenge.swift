import Crypto
import Domain
import HTTP
import Storage
import UnicodeText
public import WebAuthn

/// What a passkey has to sign: good for one purpose, in one browser, once, for five minutes.
///
/// Nothing is stored until one has been used, so that looking at a page leaves nothing behind.
struct PasskeyChallenge: Sendable {
  enum Purpose: Sendable {
    case registration(AccountID)
    /// By whoever has a passkey, in a browser.
    case signIn(browser: TokenHash)
    /// After a password that was right.
    case secondFactor(AccountID, browser: TokenHash)

    fileprivate var text: String {
      switch self {
      case .registration(let account): "passkey registration \(account)"
      case .signIn(let browser): "passkey \(Hex.encode(browser.bytes))"
      case .secondFactor(let account, let browser): "passkey \(account) \(Hex.encode(browser.bytes))"
      }
    }
  }

  let hash: TokenHash
  let expiresAt: Timestamp

  /// Uses it up; `false` when it was used before.
  func isTaken(_ tx: Transaction) throws -> Bool { try tx.useChallenge(hash, until: expiresAt) }
}

extension Installation {
  /// For whom passkeys are made and sign; `nil` where browsers make none, since our host is an address.
  public var relyingParty: RelyingParty? {
    guard let url = URLParts(issuer), IPAddress(url.host) == nil, !url.host.hasPrefix("[") else { return nil }
    return RelyingParty(id: url.host, origin: url.origin)
  }

  /// A new challenge, as a text whose bytes are to be signed.
  func newChallenge(for purpose: PasskeyChallenge.Purpose) -> String {
    let end = clock.now() + Passkey.challengeLifetime
    return signed("\(end.seconds) \(Random.token())", for: purpose.text)
  }

  /// Reads what came back in the client data; `nil` when it is not a challenge of ours for this purpose, or too old.
  func challenge(_ returned: String, for purpose: PasskeyChallenge.Purpose) -> PasskeyChallenge? {
    guard let bytes = Base64URL.decode(returned), let challenge = String(streamSafe: bytes),
      let text = signedText(challenge, for: purpose.text),
      let end = text.split(separator: " ").first.flatMap({ Int64($0) }),
      Timestamp(seconds: end) > clock.now()
    else { return nil }
    return PasskeyChallenge(hash: TokenHash(of: challenge), expiresAt: Timestamp(seconds: end))
  }
}
