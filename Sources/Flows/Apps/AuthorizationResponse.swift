import Domain
import HTTP

/// The answer to an authorization request, as the browser is to bring it on.
public enum AuthorizationResponse: Sendable {
  /// By a redirect: to the client's redirect URI with parameters added (RFC 6749 §4.1.2), or to a page of ours.
  case redirect(to: String)
  /// By a form that the browser posts to the client (OAuth 2.0 Form Post Response Mode §2).
  case form(FormPost)

  public struct FormPost: Sendable, Equatable {
    /// The client's redirect URI.
    public let target: String
    public let fields: [Field]
  }

  public struct Field: Sendable, Equatable {
    public let name: String
    public let value: String
  }
}

/// The way back to a client: where to, how, and with which `state`, `nil` when it sent none.
struct WayBack: Sendable {
  let redirectURI: String
  let mode: AuthorizationRequest.ResponseMode
  let state: String?
}

extension Installation {
  func response(with code: Secret, by way: WayBack) -> AuthorizationResponse {
    response([("code", code.revealedText)], by: way)
  }

  func response(with refusal: Refusal, by way: WayBack) -> AuthorizationResponse {
    response([("error", refusal.code.rawValue), ("error_description", refusal.wireDescription)], by: way)
  }

  /// `iss` always stands there (RFC 9207 §2).
  private func response(_ parameters: [(String, String)], by way: WayBack) -> AuthorizationResponse {
    let all = parameters + (way.state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
    switch way.mode {
    case .query:
      let query = all.map { "\($0.0)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
      // An empty fragment of our own keeps browsers from carrying over the one of the page before (RFC 9700 §4.1.3).
      return .redirect(to: RedirectURI.appending(query, to: way.redirectURI) + "#_")
    case .formPost:
      return .form(
        AuthorizationResponse.FormPost(
          target: way.redirectURI, fields: all.map { AuthorizationResponse.Field(name: $0.0, value: $0.1) }))
    }
  }
}
