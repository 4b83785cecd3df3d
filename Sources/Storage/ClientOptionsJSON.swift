public import Domain
public import JSON
import SQL

/// The options of a client as one JSON object by the registered names (RFC 7591 §2), in the column `options` and wherever
/// a client's metadata is shown: a new option needs no new column, and has its default in rows written before it.
extension ClientOptions {
  /// The members that differ from the defaults.
  public func write(to json: inout JSONWriter) {
    if profile != .oauth21 { json.member("profile", profile.rawValue) }
    json.member("token_endpoint_auth_method", authentication.rawValue)
    switch keys {
    case .inline(let set):
      json.name("jwks")
      json.value(encoded: Array(set.utf8))
    case .at(let url): json.member("jwks_uri", url)
    case nil: break
    }
    if let certificateSubject { json.member(certificateSubject.field.rawValue, certificateSubject.value) }
    json.member("id_token_signed_response_alg", ifPresent: idTokenAlgorithm)
    Self.flags.forEach { name, path in if self[keyPath: path] { json.member(name, true) } }
    if !postLogoutRedirectURIs.isEmpty {
      json.member("post_logout_redirect_uris", postLogoutRedirectURIs.map(\.text))
    }
    json.member("backchannel_logout_uri", ifPresent: backchannelLogoutURI)
    if let unattendedKeys {
      json.name("unattended_jwks")
      json.value(encoded: Array(unattendedKeys.utf8))
    }
    if !unattendedNetworks.isEmpty { json.member("unattended_networks", unattendedNetworks) }
  }

  /// Reads what ``write(to:)`` wrote; members that are missing or mean nothing have their defaults.
  init(_ json: JSONValue) {
    self.init()
    profile = json.string("profile").flatMap(Profile.init) ?? profile
    authentication =
      json.string("token_endpoint_auth_method").flatMap(ClientAuthenticationMethod.init) ?? authentication
    keys =
      json["jwks"].map { .inline(String(decoding: $0.encoded(), as: UTF8.self)) }
      ?? json.string("jwks_uri").map { .at($0) }
    certificateSubject =
      CertificateSubject.Field.allCases.lazy.compactMap { field in
        json.string(field.rawValue).map { CertificateSubject(field: field, value: $0) }
      }.first
    idTokenAlgorithm = json.string("id_token_signed_response_alg")
    for (name, path) in Self.flags { self[keyPath: path] = json.bool(name) ?? false }
    postLogoutRedirectURIs = (json.strings("post_logout_redirect_uris") ?? []).compactMap(RedirectURI.init)
    backchannelLogoutURI = json.string("backchannel_logout_uri")
    unattendedKeys = json["unattended_jwks"].map { String(decoding: $0.encoded(), as: UTF8.self) }
    unattendedNetworks = json.strings("unattended_networks") ?? []
  }

  private static var flags: [(String, WritableKeyPath<ClientOptions, Bool>)] {
    [
      ("userinfo_signed", \.signsUserInfo),
      ("dpop_bound_access_tokens", \.requiresDPoP),
      ("dpop_nonce_required", \.requiresDPoPNonce),
      ("tls_client_certificate_bound_access_tokens", \.bindsToCertificate),
      ("require_pushed_authorization_requests", \.requiresPushedRequests),
      ("takes_endpoint_audience", \.takesEndpointAudience),
      ("backchannel_logout_session_required", \.backchannelNeedsSession),
    ]
  }

  /// The same as a value; as a text when the keys that were registered are no JSON.
  public var json: JSONValue {
    do { return try JSONValue(parsing: text) } catch { return .string(text) }
  }

  /// The text of the column `options`.
  var text: String { String(decoding: JSONWriter.object { write(to: &$0) }, as: UTF8.self) }

  /// - Throws: `DatabaseError.column` when the text is no JSON.
  init(row: Row) throws { self.init(try row.parsed("options") { try? JSONValue(parsing: $0) }) }
}
