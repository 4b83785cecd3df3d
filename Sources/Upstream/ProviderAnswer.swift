internal import Domain
internal import HTTP
internal import JSON

/// Reads what an OpenID provider's endpoints answer, and tells whose fault an error is.
enum ProviderAnswer {
  /// The JSON object of a successful answer.
  ///
  /// - Throws: What ``failure(status:body:retryAfter:host:)`` says about an error; `invalidAnswer` for a success that is
  ///   no JSON object.
  static func object(
    status: Int, body: [UInt8], retryAfter: Int64?, host: String
  ) throws(UpstreamFailure) -> JSONValue {
    guard status == 200 else { throw failure(status: status, body: body, retryAfter: retryAfter, host: host) }
    guard let json = json(body) else {
      throw .invalidAnswer("\(host) answered with something that is not JSON.")
    }
    if json.string("access_token") == nil, json.string("error") != nil {
      throw failure(status: 400, body: body, retryAfter: retryAfter, host: host)
    }
    return json
  }

  /// What an error answer means for a token that was presented (RFC 6749 §5.2).
  ///
  /// GitHub has names of its own for a wrong secret and a wrong redirect URI.
  /// A bare 400 counts as a refused token, because some providers (Glewlwyd) say no more; a 400 with a page comes from
  /// something in front of the provider and does not.
  static func failure(status: Int, body: [UInt8], retryAfter: Int64?, host: String) -> UpstreamFailure {
    let json = json(body)
    let name = json?.string("error")
    let words = [name, json?.string("error_description")].compactMap { $0 }.joined(separator: ": ")
    let text = "\(host) answered with status \(status)" + (words.isEmpty ? "." : ": \(LogText.clean(words))")
    if status >= 500 { return .transient(text, retryAfter: retryAfter, .down) }
    if status == 429 { return .transient(text, retryAfter: retryAfter) }
    switch name {
    case "temporarily_unavailable", "server_error", "slow_down": return .transient(text, retryAfter: retryAfter)
    case "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_request",
      "invalid_target", "incorrect_client_credentials", "redirect_uri_mismatch":
      return .misconfigured(text)
    case .some: return .refused(text)
    case nil: return unnamed(status: status, isBare: body.isEmpty || json != nil, retryAfter: retryAfter, text)
    }
  }

  private static func unnamed(status: Int, isBare: Bool, retryAfter: Int64?, _ text: String) -> UpstreamFailure {
    switch status {
    case 400 where isBare: .refused(text)
    case 401, 403, 404, 405, 410: .misconfigured(text)
    default: .invalidAnswer(text)
    }
  }

  /// The name of the error in an answer, if there is one.
  static func errorName(_ body: [UInt8]) -> String? { json(body)?.string("error") }

  private static func json(_ body: [UInt8]) -> JSONValue? {
    do {
      let json = try JSONValue(parsing: body)
      return json.object == nil ? nil : json
    } catch {
      return form(body)
    }
  }

  /// A form with a token or an error, as plain OAuth 2 providers answer that do not heed `Accept`.
  private static func form(_ body: [UInt8]) -> JSONValue? {
    do {
      let form = try Form(body)
      guard form["access_token"] != nil || form["error"] != nil else { return nil }
      return .object(form.fields.map { JSONValue.Member($0.name, .string($0.value)) })
    } catch {
      return nil
    }
  }
}

extension Reply {
  /// The JSON object of a provider's answer, or its failure (see ``ProviderAnswer``).
  func providerObject() throws(UpstreamFailure) -> JSONValue {
    try ProviderAnswer.object(status: status, body: body, retryAfter: retryAfter, host: host)
  }
}
