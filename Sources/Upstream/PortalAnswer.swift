internal import Domain
internal import JSON

/// Reads what ArcGIS endpoints answer: errors under any status, JSON in wrapping, HTML where JSON should be.
enum PortalAnswer {
  /// Bytes of the longest answer that is read.
  static let longest = 4 << 20

  /// The JSON object of a successful answer.
  ///
  /// The body decides before the status, since ArcGIS reports most errors under 200.
  ///
  /// - Throws: What ``failure(of:status:retryAfter:host:)`` says about an error; `invalidAnswer` for anything but JSON.
  static func object(
    status: Int, body: [UInt8], retryAfter: Int64?, host: String
  ) throws(UpstreamFailure) -> JSONValue {
    guard let json = json(body), json.object != nil else {
      throw unreadable(status: status, body: body, retryAfter: retryAfter, host: host)
    }
    if let error = PortalError(in: json) {
      throw failure(of: error, status: status, retryAfter: retryAfter, host: host)
    }
    guard (200...299).contains(status) else {
      throw unreadable(status: status, body: body, retryAfter: retryAfter, host: host)
    }
    return json
  }

  /// The body's JSON, also out of a JSONP wrapper (`callback({…});`); `nil` when it is none.
  static func json(_ body: [UInt8]) -> JSONValue? {
    let limits = JSONLimits(size: longest)
    do { return try JSONValue(parsing: body, limits: limits) } catch {
      guard let inner = unwrapped(body) else { return nil }
      do { return try JSONValue(parsing: inner, limits: limits) } catch { return nil }
    }
  }

  /// What an error means for a token that was presented: by number first, then by known words.
  ///
  /// An unknown 400 asks the person to sign in again; an error without any number is not trusted that far.
  static func failure(
    of error: PortalError, status: Int, retryAfter: Int64?, host: String
  ) -> UpstreamFailure {
    let label = error.code.map { "error \($0)" } ?? error.name ?? "an error"
    let text = "\(host) answered \(label): \(error.text)"
    if status >= 500 { return .transient(text, retryAfter: retryAfter, .down) }
    if status == 429 { return .transient(text, retryAfter: retryAfter) }
    if isAboutRegistration(error) { return .misconfigured(text) }
    switch error.code ?? (status >= 400 ? Int64(status) : 0) {
    case 498, 400, 401, 403: return .refused(text)
    case 404, 405: return .misconfigured(text)
    case 0 where isAboutToken(error): return .refused(text)
    default: return .transient(text, retryAfter: retryAfter)
    }
  }

  /// Whether the portal complains about our client, not about anybody's token.
  static func isAboutRegistration(_ error: PortalError) -> Bool {
    let names = ["invalid_client", "invalid_client_id", "unauthorized_client", "unsupported_grant_type"]
    if let name = error.name, names.contains(name) { return true }
    let text = error.text.lowercased()
    return ["client_id", "client_secret", "redirect_uri", "client id", "client secret"].contains { text.contains($0) }
  }

  private static func isAboutToken(_ error: PortalError) -> Bool {
    let text = error.text.lowercased()
    return error.name == "invalid_grant" || text.contains("expired") || text.contains("invalid token")
      || text.contains("invalid refresh_token")
  }

  /// What an answer without readable JSON means.
  private static func unreadable(status: Int, body: [UInt8], retryAfter: Int64?, host: String) -> UpstreamFailure {
    switch status {
    case 429: .transient("\(host) answered with status \(status).", retryAfter: retryAfter)
    case 500...599: .transient("\(host) answered with status \(status).", retryAfter: retryAfter, .down)
    case 401, 407:
      .misconfigured("The web server of \(host) asks for a sign-in of its own (status \(status)).")
    case 404, 410: .misconfigured("\(host) has no portal at this address (status \(status)).")
    case 300...399:
      .invalidAnswer("\(host) redirects elsewhere (status \(status)): another sign-in may stand in front of it.")
    default:
      .invalidAnswer(
        "\(host) answered with \(body.isEmpty ? "nothing" : "a page") instead of JSON (status \(status)): "
          + "the address may be wrong, or another sign-in may stand in front of it.")
    }
  }

  private static func unwrapped(_ body: [UInt8]) -> [UInt8]? {
    let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    var rest = body[...]
    while let last = rest.last, space.contains(last) || last == UInt8(ascii: ";") { rest.removeLast() }
    guard rest.last == UInt8(ascii: ")"), let open = rest.firstIndex(of: UInt8(ascii: "(")) else { return nil }
    let name = rest[..<open].split(whereSeparator: space.contains).first ?? []
    guard !name.isEmpty, name.allSatisfy({ $0 == 0x2E || $0 == 0x5F || $0 == 0x24 || isAlphanumeric($0) }) else {
      return nil
    }
    return Array(rest[rest.index(after: open)...].dropLast())
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
