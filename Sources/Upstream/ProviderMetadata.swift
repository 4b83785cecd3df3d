internal import Domain
internal import JSON

/// What an OpenID provider says of itself in its discovery document (OpenID Connect Discovery §3).
struct ProviderMetadata: Sendable, Equatable {
  let issuer: String
  let authorizationEndpoint: String
  let tokenEndpoint: String
  let keysEndpoint: String
  let userinfoEndpoint: String?
  let revocationEndpoint: String?
  let endSessionEndpoint: String?
  let tokenAuthentication: ClientAuthentication
  let revocationAuthentication: ClientAuthentication
  /// Names of the algorithms that ID tokens may be signed with; `RS256` when nothing is said.
  let idTokenAlgorithms: [String]
  let scopes: [String]?
  /// Whether every callback carries `iss` (RFC 9207 §3).
  let announcesIssuer: Bool

  /// Reads a discovery document.
  ///
  /// - Throws: `misconfigured` when it is another issuer's, or an endpoint is missing or may not be called.
  init(_ json: JSONValue, for connection: Connection) throws(UpstreamFailure) {
    let expected = connection.announcedIssuer
    guard let issuer = json.string("issuer"),
      issuer.utf8.elementsEqual(expected.utf8) || connection.sharesIssuer(issuer)
    else {
      let named = json.string("issuer").map(LogText.clean) ?? "none"
      throw .misconfigured("The discovery document of \(expected) names the issuer \(named): enter exactly that one.")
    }
    self.issuer = issuer
    authorizationEndpoint = try Self.required("authorization_endpoint", in: json, connection)
    tokenEndpoint = try Self.required("token_endpoint", in: json, connection)
    keysEndpoint = try Self.required("jwks_uri", in: json, connection)
    userinfoEndpoint = try Self.endpoint("userinfo_endpoint", in: json, connection)
    revocationEndpoint = try Self.endpoint("revocation_endpoint", in: json, connection)
    endSessionEndpoint = try Self.endpoint("end_session_endpoint", in: json, connection)
    let tokenMethods = json.strings("token_endpoint_auth_methods_supported")
    tokenAuthentication = ClientAuthentication(offered: tokenMethods)
    revocationAuthentication = ClientAuthentication(
      offered: json.strings("revocation_endpoint_auth_methods_supported") ?? tokenMethods)
    idTokenAlgorithms = json.strings("id_token_signing_alg_values_supported") ?? ["RS256"]
    scopes = json.strings("scopes_supported")
    announcesIssuer = json.bool("authorization_response_iss_parameter_supported") ?? false
  }

  /// Where the discovery document of `issuer` is (OpenID Connect Discovery §4.1).
  static func url(of issuer: String) -> String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
  }

  private static func required(
    _ name: String, in json: JSONValue, _ connection: Connection
  ) throws(UpstreamFailure) -> String {
    guard let url = try endpoint(name, in: json, connection) else {
      throw .misconfigured("The discovery document of \(connection.origin) has no \(name).")
    }
    return url
  }

  private static func endpoint(
    _ name: String, in json: JSONValue, _ connection: Connection
  ) throws(UpstreamFailure) -> String? {
    guard let text = json.string(name), !text.isEmpty else { return nil }
    guard let url = ResourceURL(text) else {
      throw .misconfigured("The discovery document of \(connection.origin) has an unusable \(name).")
    }
    try connection.requireSafe(url)
    return text
  }
}

/// The issuer that an administrator meant, made from what was typed.
enum IssuerAddress {
  /// `typed` without surrounding space and without the path of the discovery document; a missing scheme is https.
  ///
  /// `nil` when it is no URL, or one with a query or fragment, which no issuer has (OpenID Connect Core §1.2).
  static func normalise(_ typed: String) -> String? {
    var text = typed.trimmed
    if !text.contains("://") { text = "https://" + text }
    for document in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
      if text.hasSuffix(document) { text.removeLast(document.count) }
    }
    guard let url = ResourceURL(text), !text.contains("?") else { return nil }
    let hasPath = text.split(separator: "/", omittingEmptySubsequences: false).count > 3
    return url.origin + (hasPath ? url.path : "")
  }

}
