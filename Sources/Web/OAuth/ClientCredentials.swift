import Domain
import Flows
import HTTP

/// How a request says which client it comes from (RFC 6749 §2.3, OAuth 2.1 §2.4).
struct ClientCredentials {
  private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  let presented: AuthenticateClient.Presented

  /// Reads the `Authorization` header or the form, never both and never the query.
  ///
  /// - Throws: `Refusal` `invalid_request` for two methods at once, `invalid_client` for none or one that is not
  ///   offered.
  init(_ request: borrowing Request, _ form: Form) throws(Refusal) {
    let fields = request.headers.values(of: "authorization")
    guard fields.count <= 1 else { throw Refusal(.invalidRequest, "The Authorization header stands more than once.") }
    let (secret, assertion) = (form.nonEmpty("client_secret"), try Self.assertion(form))
    let ways = [fields.first != nil, secret != nil, assertion != nil]
    guard ways.count(where: { $0 }) <= 1 else {
      throw Refusal(
        .invalidRequest,
        "The client authenticates by two methods at once; choose the header, the secret or the assertion.")
    }
    let id = form.nonEmpty("client_id")
    if let field = fields.first {
      presented = try Self.basic(field, clientID: id)
    } else if let assertion {
      presented = .init(id: id, .assertion(assertion))
    } else {
      guard let id else {
        throw Refusal(.invalidClient, "The request does not say which client it comes from.")
      }
      presented = .init(
        id: id, secret.map { .secret(Secret($0), isInHeader: false) } ?? .none,
        certificate: request.clientCertificate)
    }
  }

  /// What the client signed (RFC 7523 §2.2).
  private static func assertion(_ form: Form) throws(Refusal) -> String? {
    let (assertion, type) = (form.nonEmpty("client_assertion"), form.nonEmpty("client_assertion_type"))
    guard assertion != nil || type != nil else { return nil }
    guard let assertion, let type else {
      throw Refusal(.invalidRequest, "client_assertion and client_assertion_type belong together.")
    }
    guard type == assertionType else {
      throw Refusal(.invalidClient, "The only client_assertion_type is \(assertionType).")
    }
    return assertion
  }

  /// Both parts are form-encoded before base64 (RFC 6749 §2.3.1); an empty password counts as none.
  private static func basic(_ field: String, clientID: String?) throws(Refusal) -> AuthenticateClient.Presented {
    guard let authorization = AuthorizationField(field), authorization.scheme == "basic",
      let pair = BasicCredentials(authorization)?.formDecoded
    else {
      throw Refusal(.invalidClient, "The Authorization header holds no client id and secret in the Basic scheme.")
    }
    guard clientID == nil || clientID == pair.user else {
      throw Refusal(.invalidRequest, "client_id differs from the client in the Authorization header.")
    }
    return .init(id: pair.user, pair.password.isEmpty ? .none : .secret(Secret(pair.password), isInHeader: true))
  }
}

/// A form that a client posted, with the client that proved to have sent it.
struct ClientForm {
  let client: Client
  let form: Form

  /// `standing` is the client that stands for apps which name one of `names` as theirs.
  ///
  /// - Throws: `Refusal` as ``Call/form(repeatable:)``, ``ClientCredentials`` and `AuthenticateClient` do.
  init(
    _ call: Call, _ here: Installation, repeatable: Set<String> = [],
    standingFor standing: (names: Set<String>, client: ClientID)? = nil
  ) async throws {
    let sent = try call.form(repeatable: repeatable)
    form = Form(
      sent.fields.map { field in
        guard let standing, field.name == "client_id", standing.names.contains(field.value) else {
          return (field.name, field.value)
        }
        return (field.name, standing.client.text)
      })
    client = try await AuthenticateClient(here)(ClientCredentials(call.request, form).presented, call.visitor)
  }

  /// The value of a parameter that must be there.
  ///
  /// - Throws: `Refusal` `invalid_request`.
  func required(_ name: String) throws(Refusal) -> String {
    guard let value = form.nonEmpty(name) else { throw Refusal(.invalidRequest, "The parameter \(name) is missing.") }
    return value
  }

  /// The scope asked for; an empty one counts as absent.
  ///
  /// - Throws: `Refusal` `invalid_scope` when it is malformed.
  func scope() throws(Refusal) -> Scope? {
    guard let text = form.nonEmpty("scope") else { return nil }
    guard let scope = Scope(text), !scope.words.isEmpty else { throw Refusal(.invalidScope, "The scope is malformed.") }
    return scope
  }
}
