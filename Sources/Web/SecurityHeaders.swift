import HTTP

/// The headers that every answer carries (reference: WEB-20 ff.).
struct SecurityHeaders: Sendable {
  private let names: [FieldName]
  /// The fields that an answer lacks, encoded once for each set of those it has, by the bits of ``names``.
  private let missing: [SharedFields]

  init(_ external: ExternalURL) {
    var fields: [Headers.Field] = [
      Headers.Field("x-content-type-options", "nosniff"),
      Headers.Field("cache-control", "no-store"),
      Headers.Field("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
      Headers.Field("referrer-policy", "no-referrer"),
      Headers.Field("cross-origin-resource-policy", "same-origin"),
    ]
    if external.isHTTPS {
      fields.append(Headers.Field("strict-transport-security", "max-age=63072000; includeSubDomains"))
    }
    names = fields.map(\.name)
    missing = (0..<1 << fields.count).map { present in
      SharedFields(fields.indices.filter { present >> $0 & 1 == 0 }.map { fields[$0] })
    }
  }

  /// Adds what the answer does not say itself, and the request's name if it has one.
  func add(to response: inout Response, requestID: String? = nil) {
    let present = response.headers.present(among: names)
    if let value = requestID.flatMap(FieldValue.init) { response.headers.add("x-request-id", value) }
    response.headers.share(missing[present])
  }

  /// The headers of a page.
  ///
  /// `formTargets` are the sources of `form-action`: where a form on it may lead, since browsers apply it also to the
  /// redirect that answers a form.
  static func page(formTargets: [String] = ["'self'"]) -> Headers {
    let targets = formTargets.joined(separator: " ")
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
