import Domain
import Flows
import HTTP

/// How a request says which client it comes from (RFC 6749 §2.3, OAuth 2.1 §2.4).
struct ClientCredentials {
  let presented: AuthenticateClient.Presented

  /// Reads the `Authorization` header or the form, never both and never the query.
  ///
  /// - Throws: `Refusal` `invalid_request` for two methods at once, `invalid_client` for none or one that is not
  ///   offered.
  init(_ request: Request, _ form: Form) throws(Refusal) {
    let fields = request.headers.values(of: "authorization")
    guard fields.count <= 1 else { throw Refusal(.invalidRequest, "The Authorization header stands more than once.") }
    if form.nonEmpty("client_assertion") != nil || form.nonEmpty("client_assertion_type") != nil {
      throw Refusal(.invalidClient, "Client assertions are not offered; use client_secret_basic or client_secret_post.")
    }
    let secret = form.nonEmpty("client_secret")
    if let field = fields.first {
      guard secret == nil else {
        throw Refusal(
          .invalidRequest, "The client authenticates by two methods at once; choose the header or the form.")
      }
      presented = try Self.basic(field, clientID: form.nonEmpty("client_id"))
    } else {
      guard let id = form.nonEmpty("client_id") else {
        throw Refusal(.invalidClient, "The request does not say which client it comes from.")
      }
      presented = .init(id: id, secret: secret.map { Secret($0) })
    }
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
    return .init(id: pair.user, secret: pair.password.isEmpty ? nil : Secret(pair.password))
  }
}

/// A form that a client posted, with the client that proved to have sent it.
struct ClientForm {
  let client: Client
  let form: Form

  /// - Throws: `Refusal` as ``Call/form(repeatable:)``, ``ClientCredentials`` and `AuthenticateClient` do.
  init(_ call: Call, _ here: Installation, repeatable: Set<String> = []) async throws {
    form = try call.form(repeatable: repeatable)
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
