import Domain
import Flows
import HTTP
import JSON

/// Where apps register themselves (RFC 7591 §3), and read, change and remove what they registered (RFC 7592 §2).
struct RegistrationEndpoint: Sendable {
  static let path = "/oauth2/register"

  private let here: Installation
  private let register: RegisterClient
  private let manage: ManageRegistration

  init(_ here: Installation) {
    self.here = here
    (register, manage) = (RegisterClient(here), ManageRegistration(here))
  }

  func post(_ call: Call) async throws -> Response {
    let token = try token(call)
    if token == nil, register.admission == .byToken { return Self.challenge }
    // Whether it may register comes first.
    let metadata = register.admission == .closed ? ClientMetadata() : try Self.metadata(call).metadata
    let registered = try await register(metadata, token: token, call.visitor)
    return .json(.created, registered.json(here.issuer))
  }

  func get(_ call: Call) async throws -> Response {
    guard let presented = try presented(call) else { return Self.challenge }
    return .json(.ok, try await manage.read(presented).json(here.issuer))
  }

  func put(_ call: Call) async throws -> Response {
    guard let presented = try presented(call) else { return Self.challenge }
    // A wrong token is told before what is wrong with the body.
    _ = try await manage.read(presented)
    let (metadata, json) = try Self.metadata(call)
    guard json.string("client_id") == call.segments["client"] else {
      throw Refusal(.invalidClientMetadata, "client_id has to be that of the client that is changed.")
    }
    let registered = try await manage.replace(presented, by: metadata, call.visitor)
    return .json(.ok, registered.json(here.issuer))
  }

  func delete(_ call: Call) async throws -> Response {
    guard let presented = try presented(call) else { return Self.challenge }
    try await manage.delete(presented, call.visitor)
    return Response(status: .noContent)
  }

  private func presented(_ call: Call) throws(Refusal) -> ManageRegistration.Presented? {
    guard let token = try token(call) else { return nil }
    return ManageRegistration.Presented(client: call.segments["client"] ?? "", token: token)
  }

  /// The token in the header; never one in the query or the body (RFC 6750 §2).
  private func token(_ call: Call) throws(Refusal) -> Secret? {
    let fields = call.request.headers.values(of: "authorization")
    guard let field = fields.first else { return nil }
    guard fields.count == 1, let authorization = AuthorizationField(field), authorization.scheme == "bearer" else {
      throw Refusal(.invalidToken, "Send the token as Authorization: Bearer, once.")
    }
    return Secret(authorization.credential)
  }

  private static func metadata(_ call: Call) throws(Refusal) -> (metadata: ClientMetadata, json: JSONValue) {
    guard call.request.headers.contentType?.isJSON == true else {
      throw Refusal(.invalidRequest, "Send the metadata as application/json.")
    }
    let json: JSONValue
    do { json = try JSONValue(parsing: call.request.body) } catch {
      throw Refusal(.invalidClientMetadata, "The body is no JSON: \(error).")
    }
    guard json.object != nil else { throw Refusal(.invalidClientMetadata, "The body is no JSON object.") }
    return (try ClientMetadata(json), json)
  }

  /// For a request without a token: a challenge that names no error (RFC 6750 §3.1).
  private static var challenge: Response {
    let body = JSONWriter.object { json in
      json.member("error", Refusal.Code.invalidToken.rawValue)
      json.member("error_description", "Send the token in the header: Authorization: Bearer TOKEN")
    }
    var response = Response.json(.unauthorized, body)
    response.headers.set("www-authenticate", "Bearer realm=\"gatehouse\"")
    return response
  }
}
