/// A valid request of an app for a code, `GET /oauth2/authorize`.
struct AuthorizeRequest: Sendable, Equatable {
  let clientID: String
  let redirectURI: String
  let state: String?
  /// The S256 challenge (RFC 7636 §4.2).
  let challenge: String
  /// Seconds the refresh token will live.
  let refreshLifetime: Int
  /// Until when the sign-in form may come back.
  let expiresAt: Moment
}

/// A code that was sent to an app and waits to be redeemed.
struct IssuedCode: Sendable, Equatable {
  let request: AuthorizeRequest
  let user: String
  let expiresAt: Moment
}

/// Why an app's request is not served.
enum AuthorizeRefusal: Error, Equatable {
  /// Shown to the person: nobody may be redirected to a place that is not registered.
  case shown(String)
  /// Sent to the app.
  case redirected(to: String, error: String, description: String, state: String?)
}

extension Portal {
  /// Checks an app's request.
  func authorizeRequest(_ call: Call) throws(AuthorizeRefusal) -> AuthorizeRequest {
    let fields = call.parameters
    guard let client = fields["client_id"].flatMap(configuration.client) else { throw .shown("Invalid client_id") }
    guard let redirectURI = fields["redirect_uri"], client.redirectURIs.contains(redirectURI) else {
      throw .shown("Invalid redirect_uri")
    }
    func refusal(_ error: String, _ description: String) -> AuthorizeRefusal {
      .redirected(to: redirectURI, error: error, description: description, state: fields["state"])
    }
    guard fields["response_type"] == "code" else {
      throw refusal("unsupported_response_type", "response_type must be code")
    }
    guard fields["code_challenge_method"] == "S256", let challenge = fields["code_challenge"],
      challenge.utf8.count == 43
    else { throw refusal("invalid_request", "a code_challenge with code_challenge_method S256 is required") }
    let lifetime = Lifetime.clamp(
      fields["expiration"], default: Lifetime.refresh, longest: Lifetime.longestRefresh)
    guard let lifetime else { throw refusal("invalid_request", "expiration is not valid") }
    return AuthorizeRequest(
      clientID: client.id, redirectURI: redirectURI, state: fields["state"], challenge: challenge,
      refreshLifetime: refreshLifetime(lifetime), expiresAt: call.now.adding(seconds: Lifetime.form))
  }
}
