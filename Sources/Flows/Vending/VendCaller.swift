public import Domain

/// The app that calls, and how it proved who it is.
public enum VendCaller: Sendable {
  case token(AccessTokenClaims)
  case key(ClientAPIKey)

  public var client: ClientID {
    switch self {
    case .token(let claims): claims.client
    case .key(let key): key.client
    }
  }

  /// The person that it acts for; `nil` where it acts for itself.
  public var account: AccountID? {
    switch self {
    case .token(let claims): claims.account
    case .key: nil
    }
  }

  /// `nil` for one that shows an API key.
  public var token: AccessTokenClaims? {
    switch self {
    case .token(let claims): claims
    case .key: nil
    }
  }

  /// `nil` for one that shows a token.
  public var key: ClientAPIKey? {
    switch self {
    case .token: nil
    case .key(let key): key
    }
  }

  /// What it asks for, for a `resource`.
  public func request(
    _ resource: ResourceURL, minimumLifetime: Int64 = 0, audience: String? = nil
  ) -> VendRequest {
    var request = VendRequest(
      client: client, account: account, resource: resource, minimumLifetime: minimumLifetime, audience: audience)
    request.key = key
    request.portal = token?.portal
    return request
  }
}
