import HTTP

/// The headers that every answer carries (reference: WEB-20 ff.).
struct SecurityHeaders: Sendable {
  /// Made once, since every answer needs them.
  private let fields: [Headers.Field]

  init(_ external: ExternalURL) {
    var headers: Headers = [
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
    ]
    if external.isHTTPS { headers.add("strict-transport-security", "max-age=63072000; includeSubDomains") }
    fields = headers.fields
  }

  /// Adds what the answer does not say itself, and the request's name if it has one.
  func add(to response: inout Response, requestID: String? = nil) {
    let own = response.headers.fields
    var all = own
    // One growth for all of them: every answer comes by here.
    all.reserveCapacity(own.count + fields.count + 1)
    for field in fields where !own.contains(where: { $0.name == field.name }) { all.append(field) }
    if let value = requestID.flatMap(FieldValue.init) { all.append(Headers.Field("x-request-id", value)) }
    response.headers = Headers(all)
  }

  /// The headers of a page.
  ///
  /// `formTargets` are origins that a form on it may lead to beside our own, since browsers apply `form-action` also to
  /// the redirect that answers a form.
  static func page(formTargets: [String] = []) -> Headers {
    let targets = (["'self'"] + formTargets).joined(separator: " ")
    let policy =
      "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; "
      + "form-action \(targets); base-uri 'none'; frame-ancestors 'none'; object-src 'none'; "
      + "require-trusted-types-for 'script'"
    var headers: Headers = [
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ]
    if let policy = FieldValue(policy) { headers.add("content-security-policy", policy) }
    return headers
  }
}
