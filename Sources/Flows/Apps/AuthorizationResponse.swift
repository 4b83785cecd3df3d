public import Domain
import HTTP

/// The answer of the authorization endpoint: the client's redirect URI with parameters added (RFC 6749 §4.1.2).
public struct AuthorizationResponse: Sendable {
  private let issuer: String
  private let redirectURI: String
  private let state: String?

  public init(issuer: String, _ redirectURI: String, state: String?) {
    self.issuer = issuer
    self.redirectURI = redirectURI
    self.state = state
  }

  func url(code: Secret) -> String { url([("code", code.revealedText)]) }

  public func url(refusal: Refusal) -> String {
    url([("error", refusal.code.rawValue), ("error_description", refusal.wireDescription)])
  }

  /// `iss` always stands there (RFC 9207 §2); `state` only if the client sent one.
  private func url(_ parameters: [(String, String)]) -> String {
    var all = parameters
    if let state { all.append(("state", state)) }
    all.append(("iss", issuer))
    let query = all.map { "\($0.0)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
    // An empty fragment of our own keeps browsers from carrying over the one of the page before (RFC 9700 §4.1.3).
    return RedirectURI.appending(query, to: redirectURI) + "#_"
  }
}
