import Domain
import Flows
import JSON
import Storage

/// A client's metadata as apps send it (RFC 7591 §2), and as they are told it (§3.2.1).
extension ClientMetadata {
  /// Reads what an app sent; members that are not known here are ignored, and those that are `null` count as missing.
  ///
  /// - Throws: `Refusal` `invalid_client_metadata` for a member of the wrong type.
  init(_ json: JSONValue) throws(Refusal) {
    self.init()
    name = try json.text("client_name")
    redirectURIs = try json.texts("redirect_uris", .invalidRedirectURI) ?? []
    grants = try json.texts("grant_types")
    responseTypes = try json.texts("response_types")
    scope = try json.text("scope")
    authentication = try json.text("token_endpoint_auth_method")
    applicationType = try json.text("application_type")
    idTokenAlgorithm = try json.text("id_token_signed_response_alg")
    userInfoAlgorithm = try json.text("userinfo_signed_response_alg")
    subjectType = try json.text("subject_type")
    sectorIdentifier = try json.text("sector_identifier_uri")
    softwareStatement = try json.text("software_statement")
    postLogoutRedirectURIs = try json.texts("post_logout_redirect_uris") ?? []
    backchannelLogoutURI = try json.text("backchannel_logout_uri")
    backchannelNeedsSession = try json.flag("backchannel_logout_session_required")
    requiresDPoP = try json.flag("dpop_bound_access_tokens")
    bindsToCertificate = try json.flag("tls_client_certificate_bound_access_tokens")
    requiresPushedRequests = try json.flag("require_pushed_authorization_requests")
    keys = try Self.keys(json)
    for field in CertificateSubject.Field.allCases {
      if let value = try json.text(field.rawValue) {
        certificateSubjects.append(CertificateSubject(field: field, value: value))
      }
    }
    description = try ClientDescription(sent: json)
  }

  private static func keys(_ json: JSONValue) throws(Refusal) -> [ClientOptions.Keys] {
    var keys: [ClientOptions.Keys] = []
    if let set = json.member("jwks") {
      guard set.object != nil else { throw JSONValue.wrong("jwks", "a JWK set") }
      keys.append(.inline(String(decoding: set.encoded(), as: UTF8.self)))
    }
    if let url = try json.text("jwks_uri") { keys.append(.at(url)) }
    return keys
  }
}

extension ClientDescription {
  fileprivate init(sent json: JSONValue) throws(Refusal) {
    self.init()
    if let type = try json.text("application_type").flatMap(ClientMetadata.ApplicationType.init) {
      applicationType = type
    }
    for (name, path) in Self.addresses { self[keyPath: path] = try json.text(name) }
    contacts = try json.texts("contacts") ?? []
    softwareID = try json.text("software_id")
    softwareVersion = try json.text("software_version")
  }
}

extension RegisteredClient {
  /// Everything that is registered, and with what it is changed (RFC 7592 §3).
  func json(_ issuer: String) -> [UInt8] {
    JSONWriter.object { json in
      json.member("client_id", client.id.text)
      json.member("client_id_issued_at", client.createdAt.seconds)
      if let secret {
        json.member("client_secret", secret.revealedText)
        json.member("client_secret_expires_at", 0)
      }
      json.member("registration_access_token", accessToken.revealedText)
      json.member("registration_client_uri", "\(issuer)\(RegistrationEndpoint.path)/\(client.id)")
      json.member("client_name", client.name)
      json.member("redirect_uris", client.redirectURIs.map(\.text))
      json.member("grant_types", client.grants.map(\.rawValue))
      json.member("response_types", ["code"])
      json.member("scope", client.scope.text)
      json.member("subject_type", "public")
      if client.options.signsUserInfo { json.member("userinfo_signed_response_alg", client.idTokenAlgorithm) }
      client.effectiveOptions.write(to: &json)
      description.write(to: &json)
    }
  }
}

extension JSONValue {
  /// A member that is there; `null` counts as missing (RFC 7592 §2.2).
  fileprivate func member(_ name: String) -> JSONValue? { self[name].flatMap { $0.isNull ? nil : $0 } }

  fileprivate func text(_ name: String) throws(Refusal) -> String? {
    guard let value = member(name) else { return nil }
    guard let text = value.string else { throw Self.wrong(name, "a string") }
    return text
  }

  fileprivate func texts(
    _ name: String, _ code: Refusal.Code = .invalidClientMetadata
  ) throws(Refusal) -> [String]? {
    guard let value = member(name) else { return nil }
    guard let texts = value.strings else { throw Self.wrong(name, "an array of strings", code) }
    return texts
  }

  fileprivate func flag(_ name: String) throws(Refusal) -> Bool {
    guard let value = member(name) else { return false }
    guard let flag = value.bool else { throw Self.wrong(name, "true or false") }
    return flag
  }

  fileprivate static func wrong(
    _ name: String, _ rule: String, _ code: Refusal.Code = .invalidClientMetadata
  ) -> Refusal { Refusal(code, "\(name) has to be \(rule).") }
}
