/// A request at the authorization endpoint that passed every check which needs no person (RFC 6749 §4.1.1).
public struct AuthorizationRequest: Sendable, Equatable {
  public let client: ClientID
  public let recipient: Recipient
  public let scope: Scope
  /// The S256 code challenge, 43 characters of base64url (RFC 7636 §4.2); `nil` from a client that need not send one.
  public let codeChallenge: String?
  public let prompt: Prompt?
  public let openID: OpenIDRequest
  /// The thumbprint of the DPoP key that alone may redeem the code (RFC 9449 §10); `nil` for any or none.
  public var dpopKey: String?
  /// Seconds for which the app wants to go on without bringing the person back; `nil` for as long as it may.
  public var lasts: Int64?
  public var responseMode = ResponseMode.query

  /// How the browser brings the answer to the client.
  public enum ResponseMode: String, Sendable, CaseIterable {
    /// In the query of a redirect (RFC 6749 §4.1.2).
    case query
    /// In a form that it posts (OAuth 2.0 Form Post Response Mode §2).
    case formPost = "form_post"
  }

  /// Where the decision goes.
  public enum Recipient: Sendable, Equatable {
    /// The client, by way of the browser; `state` is echoed as it came, `nil` when the client sent none.
    case client(redirectURI: String, state: String?)
    /// A device that waits for it, by the hash of its code (RFC 8628).
    case device(TokenHash)
  }

  /// `nil` where the answer goes to a device.
  public var redirectURI: String? { if case .client(let uri, _) = recipient { uri } else { nil } }

  /// Whether the person reads the code from a page of the portal that is asked for.
  public var isReadFromPage: Bool { redirectURI == ArcGISFace.outOfBand && !scope.arcGISConnections.isEmpty }

  /// What the client asks about pages (OpenID Connect Core §3.1.2.1).
  public enum Prompt: String, Sendable {
    case none
    case login
    case consent
    case loginAndConsent = "login consent"

    /// Reads a space-separated list; words that ask for nothing we have are passed over, choosing an account means
    /// signing in again.
    ///
    /// - Throws: `Refusal` `invalid_request` when `none` has company.
    public init?(list: String) throws(Refusal) {
      let words = Set(list.split(separator: " "))
      guard !words.contains("none") || words.count == 1 else {
        throw Refusal(.invalidRequest, "prompt is none together with something else.")
      }
      switch (words.contains("login") || words.contains("select_account"), words.contains("consent")) {
      case (true, true): self = .loginAndConsent
      case (true, false): self = .login
      case (false, true): self = .consent
      case (false, false):
        guard words.contains("none") else { return nil }
        self = .none
      }
    }

    /// Whether the person has to prove again who they are.
    public var asksLogin: Bool { self == .login || self == .loginAndConsent }

    /// Whether the person is to be asked although they allowed it before.
    public var asksConsent: Bool { self == .consent || self == .loginAndConsent }
  }

  public init(
    client: ClientID, to recipient: Recipient, scope: Scope, codeChallenge: String? = nil, prompt: Prompt? = nil,
    openID: OpenIDRequest = OpenIDRequest()
  ) {
    self.client = client
    self.recipient = recipient
    self.scope = scope
    self.codeChallenge = codeChallenge
    self.prompt = prompt
    self.openID = openID
  }

  /// In bytes; a longer `state` is refused, never cut.
  public static let maximumStateBytes = 4096
  /// Seconds that a person may take between the app's link and the consent.
  public static let lifetime: Int64 = 30 * 60
  /// Seconds in which a pushed request has to be opened in a browser (RFC 9126 §2.2).
  public static let pushedLifetime: Int64 = 90

  /// Whether `text` can be an S256 challenge: base64url of 32 bytes.
  public static func isChallenge(_ text: String) -> Bool {
    text.utf8.count == 43
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
          || $0 == 0x5F
      }
  }
}
