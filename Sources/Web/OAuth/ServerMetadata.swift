import Domain
import Flows
import JSON

/// What this authorization server offers, for clients to discover (RFC 8414 §2, OpenID Connect Discovery §3).
enum ServerMetadata {
  /// The document; every member is true of what is offered, and defaults that would say otherwise are overruled.
  static func json(
    issuer: String, certificates: ClientCertificates = ClientCertificates(), registers: Bool = false,
    languages: [String] = ["en"], published: PublishedAddresses = PublishedAddresses()
  ) -> [UInt8] {
    JSONWriter.object { json in
      json.member("issuer", issuer)
      json.member("authorization_endpoint", issuer + "/oauth2/authorize")
      json.member("token_endpoint", issuer + "/oauth2/token")
      json.member("jwks_uri", issuer + "/oauth2/jwks")
      json.member("revocation_endpoint", issuer + "/oauth2/revoke")
      json.member("introspection_endpoint", issuer + "/oauth2/introspect")
      json.member("pushed_authorization_request_endpoint", issuer + "/oauth2/par")
      json.member("require_pushed_authorization_requests", false)
      json.member("device_authorization_endpoint", issuer + "/oauth2/device_authorization")
      if registers { json.member("registration_endpoint", issuer + RegistrationEndpoint.path) }
      json.member("userinfo_endpoint", issuer + "/oauth2/userinfo")
      json.member("end_session_endpoint", issuer + "/oauth2/end_session")
      json.member("backchannel_logout_supported", true)
      json.member("backchannel_logout_session_supported", true)
      json.member("scopes_supported", Scope.known.filter { $0 != Scope.arcGIS })
      json.member("response_types_supported", ["code"])
      json.member("response_modes_supported", AuthorizationRequest.ResponseMode.allCases.map(\.rawValue))
      json.member("grant_types_supported", Client.Grant.allCases.map(\.rawValue))
      json.member("code_challenge_methods_supported", ["S256"])
      json.member("refresh_token_expiration_types_supported", ["authorization", "token_timeout"])
      json.member("token_endpoint_auth_methods_supported", methods(certificates) + ["none"])
      json.member("revocation_endpoint_auth_methods_supported", methods(certificates) + ["none"])
      json.member("introspection_endpoint_auth_methods_supported", methods(certificates))
      for endpoint in ["token", "revocation", "introspection"] {
        json.member("\(endpoint)_endpoint_auth_signing_alg_values_supported", algorithms)
      }
      write(certificates, to: &json)
      json.member("dpop_signing_alg_values_supported", algorithms)
      json.member("authorization_response_iss_parameter_supported", true)
      json.member("request_parameter_supported", false)
      json.member("request_uri_parameter_supported", false)
      json.member("claims_parameter_supported", true)
      json.member("claim_types_supported", ["normal"])
      json.member("claims_supported", claims)
      json.member("subject_types_supported", ["public"])
      json.member("id_token_signing_alg_values_supported", ["RS256", "ES256", "PS256", "EdDSA"])
      json.member("userinfo_signing_alg_values_supported", ["RS256", "ES256", "PS256", "EdDSA"])
      json.member("introspection_signing_alg_values_supported", ["RS256", "ES256", "PS256", "EdDSA"])
      json.member("prompt_values_supported", ["none", "login", "consent", "select_account"])
      json.member("ui_locales_supported", languages)
      json.member("service_documentation", issuer + "/openapi.json")
      json.member("op_policy_uri", ifPresent: published.policy)
      json.member("op_tos_uri", ifPresent: published.terms)
    }
  }

  private static let claims = [
    "iss", "sub", "aud", "exp", "iat", "auth_time", "amr", "nonce", "sid", "at_hash", "name", "preferred_username",
  ]
  /// What apps may sign with: assertions and proofs.
  static let algorithms = ["ES256", "PS256", "EdDSA", "RS256"]

  private static func methods(_ certificates: ClientCertificates) -> [String] {
    ["client_secret_basic", "client_secret_post", "private_key_jwt"]
      + (certificates.areTaken ? ["self_signed_tls_client_auth"] : [])
      + (certificates.areTaken && certificates.authorities != nil ? ["tls_client_auth"] : [])
  }

  /// What certificates are for, and where they are asked for (RFC 8705 §3.3, §5).
  private static func write(_ certificates: ClientCertificates, to json: inout JSONWriter) {
    guard certificates.areTaken else { return }
    json.member("tls_client_certificate_bound_access_tokens", true)
    guard let alias = certificates.alias else { return }
    json.object("mtls_endpoint_aliases") { json in
      for (endpoint, path) in certificatePaths { json.member("\(endpoint)_endpoint", alias + path) }
    }
  }

  /// Where a certificate means something: clients authenticate there, or present tokens that are bound to one.
  private static let certificatePaths = [
    ("token", "/oauth2/token"), ("revocation", "/oauth2/revoke"), ("introspection", "/oauth2/introspect"),
    ("pushed_authorization_request", "/oauth2/par"), ("device_authorization", "/oauth2/device_authorization"),
    ("userinfo", "/oauth2/userinfo"),
  ]
}
