import Domain
import Flows
import HTTP
import JSON
import Pages

/// The fields of a client's options, which most clients leave as they are.
enum ClientOptionFields {
  private static let texts = [
    "keys", "jwks_uri", "certificate_subject", "post_logout_redirect_uris", "backchannel_logout_uri",
    "unattended_keys", "unattended_networks",
  ]
  private static var choices: [(name: String, options: [String])] {
    [
      ("profile", ClientOptions.Profile.allCases.map(\.rawValue)),
      ("authentication", ClientAuthenticationMethod.allCases.filter { $0 != .none }.map(\.rawValue)),
      ("certificate_field", CertificateSubject.Field.allCases.map(\.rawValue)),
      ("id_token_algorithm", ClientOptions.idTokenAlgorithms),
    ]
  }
  private static var switches: [(name: String, path: WritableKeyPath<ClientOptions, Bool>)] {
    [
      ("signed_userinfo", \.signsUserInfo), ("dpop", \.requiresDPoP), ("dpop_nonce", \.requiresDPoPNonce),
      ("certificate_bound", \.bindsToCertificate),
      ("pushed_requests", \.requiresPushedRequests), ("endpoint_audience", \.takesEndpointAudience),
      ("backchannel_session", \.backchannelNeedsSession),
    ]
  }

  static var names: Set<String> { Set(texts + choices.map(\.name) + switches.map(\.name)) }

  /// Puts what was typed into the page.
  static func fill(_ page: inout PageForm, _ posted: Form) {
    for name in texts { page.fill(name, with: posted[name] ?? "") }
    for (name, options) in choices {
      page.choose(name, from: options, chosen: Set(posted.nonEmpty(name).map { [$0] } ?? []))
    }
    for (name, _) in switches { page.choose(name, from: ["on"], chosen: posted[name] == "1" ? ["on"] : []) }
  }

  /// The fields that would make `options`.
  static func fields(of options: ClientOptions) -> [(String, String)] {
    var fields = [("profile", options.profile.rawValue), ("authentication", options.authentication.rawValue)]
    switch options.keys {
    case .inline(let set)?: fields.append(("keys", set))
    case .at(let url)?: fields.append(("jwks_uri", url))
    case nil: break
    }
    if let subject = options.certificateSubject {
      fields += [("certificate_field", subject.field.rawValue), ("certificate_subject", subject.value)]
    }
    if let algorithm = options.idTokenAlgorithm { fields.append(("id_token_algorithm", algorithm)) }
    switches.forEach { name, path in if options[keyPath: path] { fields.append((name, "1")) } }
    fields.append(
      ("post_logout_redirect_uris", options.postLogoutRedirectURIs.map(\.text).joined(separator: "\n")))
    if let uri = options.backchannelLogoutURI { fields.append(("backchannel_logout_uri", uri)) }
    if let keys = options.unattendedKeys { fields.append(("unattended_keys", keys)) }
    fields.append(("unattended_networks", options.unattendedNetworks.joined(separator: "\n")))
    return fields
  }

  /// Reads what was sent; a field that is not there leaves its default.
  static func read(_ posted: Form) -> (options: ClientOptions, objections: [(field: String, text: String)]) {
    var reader = Reader(posted: posted)
    var options = ClientOptions()
    options.profile = reader.choice("profile", "Choose one of the profiles.") ?? options.profile
    options.authentication =
      reader.choice("authentication", "Choose one of the methods.") ?? options.authentication
    options.keys = reader.keys()
    if let value = reader.text("certificate_subject") {
      let field: CertificateSubject.Field? = reader.choice("certificate_field", "Choose what the certificate names.")
      options.certificateSubject = CertificateSubject(field: field ?? .distinguishedName, value: value)
    }
    options.idTokenAlgorithm = reader.text("id_token_algorithm")
    if let algorithm = options.idTokenAlgorithm, !ClientOptions.idTokenAlgorithms.contains(algorithm) {
      reader.objections.append(("id_token_algorithm", "Choose one of the algorithms."))
    }
    for (name, path) in switches { options[keyPath: path] = posted[name] == "1" }
    options.postLogoutRedirectURIs = reader.postLogoutURIs()
    options.backchannelLogoutURI = reader.text("backchannel_logout_uri")
    options.unattendedKeys = reader.set("unattended_keys")
    options.unattendedNetworks = (posted["unattended_networks"] ?? "").filledLines
    return (options, reader.objections)
  }

  private struct Reader {
    let posted: Form
    var objections: [(field: String, text: String)] = []

    func text(_ name: String) -> String? {
      let text = (posted[name] ?? "").trimmed
      return text.isEmpty ? nil : text
    }

    /// What was chosen, if anything was.
    mutating func choice<Choice: RawRepresentable<String>>(_ name: String, _ objection: String) -> Choice? {
      guard let text = text(name) else { return nil }
      if let choice = Choice(rawValue: text) { return choice }
      objections.append((name, objection))
      return nil
    }

    mutating func keys() -> ClientOptions.Keys? {
      let url = text("jwks_uri")
      guard text("keys") != nil else { return url.map { .at($0) } }
      if url != nil {
        objections.append(("jwks_uri", "Paste the keys or give their URL, not both."))
        return nil
      }
      return set("keys").map { .inline($0) }
    }

    mutating func set(_ name: String) -> String? {
      guard let text = text(name) else { return nil }
      do { return String(decoding: try JSONValue(parsing: text).encoded(), as: UTF8.self) } catch {
        objections.append((name, "This is no JWK set: \(error)."))
        return nil
      }
    }

    mutating func postLogoutURIs() -> [RedirectURI] {
      (posted["post_logout_redirect_uris"] ?? "").filledLines.compactMap { line in
        if let uri = RedirectURI(line) { return uri }
        objections.append(
          ("post_logout_redirect_uris", "\(line) is not taken: use \(RedirectURI.rule)."))
        return nil
      }
    }
  }
}
