import Domain
import Flows
import HTTP

/// Where an app sends a browser to get a code (RFC 6749 §3.1).
struct AuthorizeEndpoint: Sendable {
  private let desk: Desk

  init(_ desk: Desk) { self.desk = desk }

  /// The parameters that mean something here; a repetition of any other is as unimportant as the parameter itself.
  static let known: Set<String> = [
    "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "code_challenge",
    "code_challenge_method", "prompt", "dpop_jkt", "request", "request_uri", "registration", "nonce", "max_age",
    "login_hint", "id_token_hint", "claims", "acr_values", "ui_locales", "display",
  ]

  func get(_ call: Call) async throws -> Response {
    do {
      // Nobody would get the code that answers a HEAD.
      let person = call.request.method == .get ? try await desk.person(call) : nil
      return try await begin(Form(query: call.request.query), person, call)
    } catch let failure as FormFailure { throw Refusal(.invalidRequest, failure.description) }
  }

  func post(_ call: Call) async throws -> Response {
    guard call.request.headers.contentType?.isForm == true else {
      throw Refusal(.invalidRequest, "Send the parameters as application/x-www-form-urlencoded in UTF-8.")
    }
    do {
      // Of a form that another site sent, browsers leave the session's cookie out; of the page it leads to, they do not.
      return try await begin(Form(call.request.body), nil, call)
    } catch let failure as FormFailure { throw Refusal(.invalidRequest, failure.description) }
  }

  private func begin(_ form: Form, _ person: SignedIn?, _ call: Call) async throws -> Response {
    if let requestURI = form.nonEmpty("request_uri"), requestURI.hasPrefix(PushAuthorization.prefix) {
      try desk.here.countBeginning(by: call.visitor)
      // What was pushed counts, and nothing of what stands beside it (RFC 9126 §4).
      let handle = try await PushAuthorization(desk.here).open(requestURI, clientID: form.nonEmpty("client_id"))
      return try desk.redirect(to: "/consent?ticket=\(handle.revealedText)")
    }
    var response = try await begin(Self.parameters(form), person, call)
    if let cookie = try desk.remembering(form.nonEmpty("ui_locales"), call.request) { response.headers.add(cookie) }
    return response
  }

  /// Where the browser goes with a request of `parameters`; `person` is who may be answered at once.
  func begin(
    _ parameters: BeginAuthorization.Parameters, _ person: SignedIn?, _ call: Call
  ) async throws -> Response {
    switch try await BeginAuthorization(desk.here)(parameters, for: person, call.visitor) {
    case .answered(let response): return try desk.answer(response, call)
    case .waiting(let handle, _): return try desk.redirect(to: "/consent?ticket=\(handle.revealedText)")
    case .refusedToUnchecked(let way): return try LeaveEndpoint(desk).page(way, call)
    }
  }

  /// The parameters of a request, in a browser's query or form or as a client pushed them.
  static func parameters(_ form: Form) -> BeginAuthorization.Parameters {
    var parameters = BeginAuthorization.Parameters()
    parameters.clientID = form.nonEmpty("client_id")
    parameters.redirectURI = form.nonEmpty("redirect_uri")
    parameters.responseType = form.nonEmpty("response_type")
    parameters.responseMode = form.nonEmpty("response_mode")
    parameters.scope = form.nonEmpty("scope")
    parameters.state = form.nonEmpty("state")
    parameters.codeChallenge = form.nonEmpty("code_challenge")
    parameters.codeChallengeMethod = form.nonEmpty("code_challenge_method")
    parameters.prompt = form.nonEmpty("prompt")
    parameters.openID.nonce = form.nonEmpty("nonce")
    parameters.openID.maximumAge = form.nonEmpty("max_age")
    parameters.openID.loginHint = form.nonEmpty("login_hint")
    parameters.openID.idTokenHint = form.nonEmpty("id_token_hint")
    parameters.openID.claims = form.nonEmpty("claims")
    parameters.dpopKey = form.nonEmpty("dpop_jkt")
    parameters.objection = objection(to: form)
    return parameters
  }

  private static func objection(to form: Form) -> Refusal? {
    if let name = known.sorted().first(where: form.isRepeated) {
      return Refusal(.invalidRequest, "The parameter \(name) stands more than once.")
    }
    if form.nonEmpty("request") != nil { return Refusal(.requestNotSupported, "Request objects are not supported.") }
    if form.nonEmpty("request_uri") != nil {
      return Refusal(.requestURINotSupported, "Only a request_uri that this server gave out is taken.")
    }
    if form.nonEmpty("registration") != nil {
      return Refusal(.registrationNotSupported, "Registration within a request is not supported.")
    }
    return nil
  }
}
