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
    do {
      let binding = try await SenderKey(here).binding(call, for: posted.client)
      var response = try await answer(posted, binding, call)
      // The next proof needs one, too (RFC 9449 §8.2).
      if binding != nil, posted.client.requiresDPoPNonce, let nonce = FieldValue(here.dpopNonce) {
        response.headers.set("dpop-nonce", nonce)
      }
      return response
    } catch let refusal as Refusal {
      try await here.recordRefusal(of: posted.client, refusal, call.visitor)
      throw refusal
    }
  }

  private func answer(_ posted: ClientForm, _ binding: TokenBinding?, _ call: Call) async throws -> Response {
    guard let grant = Client.Grant(rawValue: try posted.required("grant_type")) else {
      throw Refusal(.unsupportedGrantType, "This grant type is not offered; the metadata says which are.")
    }
    switch grant {
    case .authorizationCode: return Self.response(try await redeem(posted, binding, call))
    case .refreshToken: return Self.response(try await refresh(posted, binding, call))
    case .clientCredentials:
      return Self.response(
        try await IssueClientToken(here)(posted.scope(), posted.client, boundTo: binding, call.visitor))
    case .deviceCode:
      return Self.response(
        try await RedeemDeviceCode(here)(
          Secret(posted.required("device_code")), posted.client, boundTo: binding, call.visitor))
    case .tokenExchange: return try await exchange.answer(posted, binding, call)
    }
  }

  private func redeem(
    _ posted: ClientForm, _ binding: TokenBinding?, _ call: Call
  ) async throws -> IssuedTokens {
    try await RedeemCode(here)(
      posted.required("code"), verifier: posted.form.nonEmpty("code_verifier"),
      redirectURI: posted.form.nonEmpty("redirect_uri"), posted.client, boundTo: binding, call.visitor)
  }

  private func refresh(
    _ posted: ClientForm, _ binding: TokenBinding?, _ call: Call
  ) async throws -> IssuedTokens {
    try await RefreshTokens(here)(
      Secret(posted.required("refresh_token")), scope: posted.scope(), posted.client, boundTo: binding, call.visitor)
  }

  /// For caches that know HTTP/1.0 alone (RFC 6749 §5.1).
  private static let headers: Headers = ["content-type": "application/json", "pragma": "no-cache"]

  /// RFC 6749 §5.1; the scope always stands there.
  private static func response(_ tokens: IssuedTokens) -> Response {
    var json = JSONWriter(capacity: 1024)
    json.object { json in
      // A token holds nothing that JSON escapes, and it is the longest part: it is written as it is.
      json.name("access_token")
      json.value(encoded: [0x22] + tokens.accessToken.revealed + [0x22])
      json.member("token_type", tokens.tokenType)
      json.member("expires_in", tokens.expiresIn)
      json.member("scope", tokens.scope.text)
      json.member("refresh_token", ifPresent: tokens.refreshToken?.revealedText)
      if let end = tokens.refreshEnd {
        json.member("refresh_token_timeout", end.ofToken)
        json.member("authorization_expires_in", end.ofAuthorization)
      }
      json.member("id_token", ifPresent: tokens.idToken?.revealedText)
    }
    return Response(status: .ok, headers: headers, body: .bytes(json.bytes))
  }
}
