import Domain
import Flows
import HTTP
import JSON

/// Gives out tokens (RFC 6749 §3.2).
struct TokenEndpoint: Sendable {
  private let here: Installation
  private let exchange: TokenExchange

  init(_ here: Installation) {
    self.here = here
    exchange = TokenExchange(here)
  }

  func answer(_ call: Call) async throws -> Response {
    let posted = try await ClientForm(call, here, repeatable: TokenExchange.repeatable)
    do { return try await answer(posted, call) } catch let refusal as Refusal {
      try await here.recordRefusal(of: posted.client, refusal, call.visitor)
      throw refusal
    }
  }

  private func answer(_ posted: ClientForm, _ call: Call) async throws -> Response {
    guard let grant = Client.Grant(rawValue: try posted.required("grant_type")) else {
      throw Refusal(.unsupportedGrantType, "This grant type is not offered; the metadata says which are.")
    }
    switch grant {
    case .authorizationCode: return Self.response(try await redeem(posted, call))
    case .refreshToken: return Self.response(try await refresh(posted, call))
    case .clientCredentials:
      return Self.response(try await IssueClientToken(here)(posted.scope(), posted.client, call.visitor))
    case .tokenExchange: return try await exchange.answer(posted, call)
    }
  }

  private func redeem(_ posted: ClientForm, _ call: Call) async throws -> IssuedTokens {
    try await RedeemCode(here)(
      posted.required("code"), verifier: posted.form.nonEmpty("code_verifier"),
      redirectURI: posted.form.nonEmpty("redirect_uri"), posted.client, call.visitor)
  }

  private func refresh(_ posted: ClientForm, _ call: Call) async throws -> IssuedTokens {
    try await RefreshTokens(here)(
      Secret(posted.required("refresh_token")), scope: posted.scope(), posted.client, call.visitor)
  }

  /// RFC 6749 §5.1; the scope always stands there.
  private static func response(_ tokens: IssuedTokens) -> Response {
    var json = JSONWriter(capacity: 1024)
    json.object { json in
      // A token holds nothing that JSON escapes, and it is the longest part: it is written as it is.
      json.name("access_token")
      json.value(encoded: [0x22] + tokens.accessToken.revealed + [0x22])
      json.member("token_type", "Bearer")
      json.member("expires_in", tokens.expiresIn)
      json.member("scope", tokens.scope.text)
      json.member("refresh_token", ifPresent: tokens.refreshToken?.revealedText)
      json.member("id_token", ifPresent: tokens.idToken?.revealedText)
    }
    return .json(.ok, json.bytes)
  }
}
