/// A request at the authorization endpoint that passed every check which needs no person (RFC 6749 §4.1.1).
public struct AuthorizationRequest: Sendable, Equatable {
  public let client: ClientID
  public let redirectURI: String
  public let scope: Scope
  /// Echoed as it came; `nil` when the client sent none.
  public let state: String?
  /// The S256 code challenge, 43 characters of base64url (RFC 7636 §4.2).
  public let codeChallenge: String
  public let prompt: Prompt?

  /// What the client asks about pages (OpenID Connect Core §3.1.2.1).
  public enum Prompt: String, Sendable {
    case none
    case login
    case consent
  }

  public init(
    client: ClientID, redirectURI: String, scope: Scope, state: String?, codeChallenge: String, prompt: Prompt?
  ) {
    self.client = client
    self.redirectURI = redirectURI
    self.scope = scope
    self.state = state
    self.codeChallenge = codeChallenge
    self.prompt = prompt
  }

  /// In bytes; a longer `state` is refused, never cut.
  public static let maximumStateBytes = 4096
  /// Seconds that a person may take between the app's link and the consent.
  public static let lifetime: Int64 = 30 * 60

  /// Whether `text` can be an S256 challenge: base64url of 32 bytes.
  public static func isChallenge(_ text: String) -> Bool {
    text.utf8.count == 43
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
          || $0 == 0x5F
      }
  }
}
