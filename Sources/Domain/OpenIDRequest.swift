/// What an authorization request asks about the person beyond OAuth 2.1 (OpenID Connect Core §3.1.2.1, §5.5).
public struct OpenIDRequest: Sendable, Equatable {
  /// Given back in the ID token as it came; at most ``maximumNonceBytes``.
  public var nonce: String?
  /// Seconds for which a proof of who the person is counts.
  public var maximumAge: Int64?
  /// What the person may be called at the sign-in page.
  public var loginHint: String?
  /// The only account that may be answered for.
  public var expectedAccount: AccountID?
  /// Names of claims that were asked for by themselves, in the ID token.
  public var idTokenClaims: [String] = []
  /// The same for the userinfo endpoint.
  public var userInfoClaims: [String] = []

  public static let maximumNonceBytes = 1024

  public init() {}

  /// Whether the ID token has to say when the person proved who they are.
  public var asksAuthenticationTime: Bool { maximumAge != nil || idTokenClaims.contains("auth_time") }
}

extension AuthorizationRequest {
  /// What a signed-in person has to do before the request can be decided.
  public enum Standing: Sendable, Equatable {
    case mayGoOn
    /// Prove again who they are.
    case signIn
    case refused(Refusal)
  }

  /// Decides for an account that was proven at one time about a request that was made at another.
  ///
  /// Pure. Ages count from the request on, so that nobody who takes long over the consent is sent back to sign in.
  public func standing(
    of account: AccountID, authenticatedAt: Timestamp, createdAt: Timestamp
  ) -> Standing {
    let isFresh = authenticatedAt >= createdAt
    let isOldEnough = openID.maximumAge.map { authenticatedAt + $0 >= createdAt } ?? true
    if prompt?.asksLogin == true || !isOldEnough, !isFresh {
      return prompt == Prompt.none ? .refused(Self.loginRequired) : .signIn
    }
    guard let expected = openID.expectedAccount, expected != account else { return .mayGoOn }
    // Signing in as somebody else was offered already, and this is not who the app means.
    return prompt == Prompt.none || isFresh ? .refused(Self.anotherPerson) : .signIn
  }

  public static let loginRequired = Refusal(.loginRequired, "The person has to sign in for this.")
  private static let anotherPerson = Refusal(.loginRequired, "Another person than the app means is signed in.")
}
