import Domain
import Flows
import HTTP
import JSON

/// The app behind a request that carries one of our access tokens (RFC 6750).
struct BearerCaller: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  enum Outcome {
    case caller(AccessTokenClaims)
    /// The request carries no token: a challenge whose header names no error (RFC 6750 §3.1).
    case challenge(Response)
  }

  /// The claims of the token in the `Authorization` header; one in the query is never used.
  ///
  /// Whether the token has ended before its time is for the endpoint to ask, together with what it reads.
  /// - Throws: `Refusal` `invalid_request` for two tokens or a malformed one, `invalid_token` when it does not count,
  ///   `insufficient_scope` when it does not vend.
  func callAsFunction(_ call: Call) async throws -> Outcome {
    switch try await anyToken(call) {
    case .challenge(let response): return .challenge(response)
    case .caller(let claims):
      if claims.vends { return .caller(claims) }
      throw Refusal(.insufficientScope, "The access token lacks the scope vend.")
    }
  }

  /// The same, whatever the token is good for.
  func anyToken(_ call: Call) async throws -> Outcome {
    let fields = call.request.headers.values(of: "authorization")
    guard let field = fields.first else { return .challenge(Self.challenge) }
    guard fields.count == 1, !Self.holdsToken(call.request.query) else {
      throw Refusal(.invalidRequest, "Send one access token, in the Authorization header.")
    }
    let length = field.utf8.prefix { $0 != 0x20 }.count
    let isDPoP = length == 4 && field.prefix(4).lowercased() == "dpop"
    guard isDPoP || length == 6 && field.prefix(6).lowercased() == "bearer" else {
      return .challenge(Self.challenge)
    }
    guard let authorization = AuthorizationField(field) else {
      throw Refusal(.invalidRequest, "The Authorization header is malformed.")
    }
    let claims = try claims(authorization.credential)
    if isDPoP || claims.binding != nil {
      try await SenderKey(here).check(call, authorization.credential, claims, byDPoP: isDPoP)
    }
    return .caller(claims)
  }

  private static func holdsToken(_ query: Substring) -> Bool {
    var rest = query.utf8
    while !rest.isEmpty {
      if rest.first == UInt8(ascii: "a"), rest.starts(with: "access_token=".utf8) { return true }
      rest = rest.drop { $0 != UInt8(ascii: "&") }.dropFirst()
    }
    return false
  }

  private func claims(_ token: String) throws(Refusal) -> AccessTokenClaims {
    guard let claims = here.verify(token, at: here.clock.now()) else { throw .endedToken }
    guard claims.vends || claims.audience == here.issuer else {
      throw Refusal(.invalidToken, "The access token is for another audience.")
    }
    return claims
  }

  private static var challenge: Response {
    let body = JSONWriter.object { json in
      json.member("error", Refusal.Code.invalidRequest.rawValue)
      json.member("error_description", "Send an access token: Authorization: Bearer TOKEN")
    }
    var response = Response.json(.unauthorized, body)
    response.headers.set("www-authenticate", "Bearer realm=\"gatehouse\"")
    response.headers.add("www-authenticate", ErrorAnswers.dpopChallenge(nil))
    return response
  }
}
