internal import Domain
internal import JSON

/// An error as ArcGIS writes it into a body, mostly under HTTP 200.
struct PortalError: Equatable {
  /// ArcGIS's own number (498, 499, 403, 400 …), which is not always there.
  let code: Int64?
  /// The OAuth name beside it; its values are not those of RFC 6749.
  let name: String?
  /// What it says in words, cut to a readable length.
  let text: String

  /// The error that `body` holds in any of the known shapes; `nil` when it holds none.
  ///
  /// `error` objects with or without code and OAuth members, plain OAuth errors, the admin API's `status` and
  /// `messages`, a bare `code` of 400 and more, `success: false`.
  init?(in body: JSONValue) {
    if let inner = body["error"], inner.object != nil {
      self.init(code: inner.integer("code"), name: inner.string("error"), texts: Self.texts(of: inner))
      return
    }
    if let name = body.string("error") {
      self.init(code: body.integer("code"), name: name, texts: Self.texts(of: body))
      return
    }
    let status = body.string("status")?.lowercased()
    let hasFailed = status == "error" || status == "failed" || status == "failure" || body.bool("success") == false
    let code = body.integer("code")
    guard hasFailed || (code ?? 0) >= 400 || body.string("jobStatus") == "esriJobFailed" else { return nil }
    self.init(code: code, name: nil, texts: Self.texts(of: body))
  }

  private init(code: Int64?, name: String?, texts: [String]) {
    self.code = code
    self.name = name
    text = LogText.clean(texts.isEmpty ? "no explanation" : texts.joined(separator: "; "))
  }

  private static func texts(of value: JSONValue) -> [String] {
    let single = ["message", "error_description", "statusMessage"].compactMap { value.string($0) }
    let several = ["details", "messages"].flatMap { value.strings($0) ?? [] }
    return (single + several).filter { !$0.isEmpty }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
