import Domain
import Flows
import HTTP
import JSON

/// Tells a client about a token (RFC 7662).
struct IntrospectEndpoint: Sendable {
  private let here: Installation
  private let errors: ErrorAnswers
  private let repeated: RepeatedAnswers

  init(_ here: Installation) {
    self.here = here
    repeated = RepeatedAnswers(here)
    errors = ErrorAnswers(here)
  }

  func answer(_ call: Call) async throws -> Response {
    let wantsSigned = Self.wantsSigned(call.request)
    let question = wantsSigned ? nil : question(call.request)
    if let question, let known = repeated.answer(to: question) { return .json(.ok, known) }
    let moment = repeated.moment()
    do {
      let posted = try await ClientForm(call, here)
      let answer = try await IntrospectToken(here)(Secret(posted.required("token")), posted.client)
      let body = body(answer)
      if let question, case .accessToken(let claims, _) = answer {
        try await repeated.keep(body, to: question, about: claims, posted.client, since: moment)
      }
      guard wantsSigned else { return .json(.ok, body) }
      let signed = try await SignIntrospection(here)(body, for: posted.client)
      return Response(status: .ok, headers: [Self.signedType], body: .bytes(signed.revealed))
    } catch let refusal as Refusal where refusal.code == .invalidClient {
      // Whatever method was tried, this caller has not authenticated (§2.3).
      var response = errors.json(refusal, call)
      response.status = .unauthorized
      response.headers.set("www-authenticate", "Basic realm=\"gatehouse\", charset=\"UTF-8\"")
      return response
    }
  }

  /// What a request is known by whose client proves itself by nothing but a header field.
  private func question(_ request: Request) -> RepeatedAnswers.Question? {
    guard let authorization = request.headers.single("authorization"),
      let type = request.headers.single("content-type")
    else { return nil }
    return repeated.question([authorization, type], body: request.body)
  }

  private static let signedType = Headers.Field("content-type", "application/token-introspection+jwt")

  /// Whether the caller asks for an answer that it can show to others (RFC 9701 §4).
  private static func wantsSigned(_ request: Request) -> Bool {
    WeightedList(request.headers.values(of: "accept")).weight(of: "application/token-introspection+jwt") ?? 0 > 0
  }

  private func body(_ answer: IntrospectToken.Answer) -> [UInt8] {
    JSONWriter.object { json in
      switch answer {
      case .inactive: json.member("active", false)
      case .accessToken(let claims, let person):
        json.member("active", true)
        json.member("scope", claims.scope.text)
        json.member("client_id", claims.client.text)
        json.member("token_type", claims.tokenType)
        json.member("exp", claims.expiresAt.seconds)
        json.member("iat", claims.issuedAt.seconds)
        json.member("nbf", claims.issuedAt.seconds)
        json.member("sub", claims.subject)
        json.member("aud", claims.audience)
        json.member("iss", here.issuer)
        json.member("jti", claims.id)
        json.member("username", ifPresent: person?.username)
        if let person { json.member("auth_time", person.authenticatedAt.seconds) }
        if let binding = claims.binding {
          json.object("cnf") { json in json.member(binding.member.name, binding.member.value) }
        }
      case .refreshToken(let family, let end, let expiresAt):
        json.member("active", true)
        json.member("scope", family.scope.text)
        json.member("client_id", family.client.text)
        json.member("exp", expiresAt.seconds)
        json.member("sub", family.account.text)
        json.member("iss", here.issuer)
        json.member("auth_time", family.authenticatedAt.seconds)
        json.member("refresh_token_timeout", end.ofToken)
        json.member("authorization_expires_in", end.ofAuthorization)
        if let binding = family.binding {
          json.object("cnf") { json in json.member(binding.member.name, binding.member.value) }
        }
      }
    }
  }
}
