internal import HTTP
internal import JSON

extension Fault {
  /// What is answered in place of the real answer, which is then not even worked out; `nil` when it is needed.
  func answer(to call: Call, at endpoint: Endpoint) -> Response? {
    switch kind {
    case .delay, .truncate, .dropAfter: nil
    case .status: statusAnswer
    case .garbage:
      Response(
        status: .ok, headers: ["content-type": "application/json; charset=utf-8"],
        body: .bytes([0x7B, 0x22, 0x61, 0xFF, 0x00] + Array("not json".utf8)))
    case .html:
      .page(Page(title: "Sign in to the web tier", content: "<p>A page that stands in front of the portal.</p>"))
    case .drop: .cut()
    case .refuse:
      switch endpoint {
      case .token: .json(PortalError.refreshTokenUnknown.json)
      case .loginToken: DirectoryError.unknownRefreshToken.response(at: call.now)
      default: .reply(PortalError.invalidToken.json, to: call)
      }
    }
  }

  private var statusAnswer: Response {
    let status = Status(integerLiteral: value)
    var response = Response.json(
      ["error": ["code": .integer(Int64(value)), "message": .string(status.phrase), "details": []]], status: status)
    if value == 429 || value == 503 { response.headers.set("retry-after", "1") }
    return response
  }

  /// The real answer, spoilt.
  func spoil(_ answer: Response) async -> Response {
    switch kind {
    case .delay:
      do {
        try await Task.sleep(for: .milliseconds(value))
        return answer
      } catch {
        return .cut()
      }
    case .truncate:
      guard case .bytes(let bytes) = answer.body else { return .cut(headers: answer.headers) }
      return .cut(after: Array(bytes.prefix(bytes.count / 2)), headers: answer.headers)
    case .dropAfter: return .cut()
    case .status, .garbage, .html, .drop, .refuse: return answer
    }
  }
}
