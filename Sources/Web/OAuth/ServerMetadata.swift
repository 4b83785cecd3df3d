import Domain
import JSON

/// What this authorization server offers, for clients to discover (RFC 8414 §2).
enum ServerMetadata {
  /// The document; every member is true of what is offered, and defaults that would say otherwise are overruled.
  static func json(issuer: String) -> [UInt8] {
    JSONWriter.object { json in
      json.member("issuer", issuer)
      json.member("authorization_endpoint", issuer + "/oauth2/authorize")
      json.member("token_endpoint", issuer + "/oauth2/token")
      json.member("jwks_uri", issuer + "/oauth2/jwks")
      json.member("revocation_endpoint", issuer + "/oauth2/revoke")
      json.member("introspection_endpoint", issuer + "/oauth2/introspect")
      json.member("scopes_supported", Scope.known)
      json.member("response_types_supported", ["code"])
      json.member("response_modes_supported", ["query"])
      json.member("grant_types_supported", Client.Grant.allCases.map(\.rawValue))
      json.member("code_challenge_methods_supported", ["S256"])
      json.member("token_endpoint_auth_methods_supported", methods + ["none"])
      json.member("revocation_endpoint_auth_methods_supported", methods + ["none"])
      json.member("introspection_endpoint_auth_methods_supported", methods)
      json.member("authorization_response_iss_parameter_supported", true)
      json.member("request_parameter_supported", false)
      json.member("request_uri_parameter_supported", false)
      json.member("claims_parameter_supported", false)
    }
  }

  private static let methods = ["client_secret_basic", "client_secret_post"]
}
