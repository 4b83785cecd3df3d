public import HTTP

/// Which header fields the proxy passes on (RFC 9110 §7.6).
public enum PassedFields {
  /// Whether what is to be passed on can be: bytes that are not UTF-8 would arrive as others.
  public static func canPass(_ headers: Headers) -> Bool { ofRequest(headers).fields.allSatisfy(isText) }

  private static func isText(_ field: Headers.Field) -> Bool { !field.value.text.unicodeScalars.contains("\u{FFFD}") }

  /// The bytes that a `Content-Length` promises; `nil` unless it is plain digits (RFC 9110 §8.6).
  static func length(_ value: String) -> Int? {
    value.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(value) : nil
  }

  /// What goes to the upstream: not what concerns the way here, who asks, or what we say ourselves.
  static func ofRequest(_ headers: Headers) -> Headers {
    let named = headers.values(of: "connection").flatMap { $0.split(separator: ",") }
      .map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
    return Headers(
      headers.fields.filter { field in
        let name = field.name.text
        // Gateways read `_` and `-` as the same (CGI), so a name with the first may be any of those below.
        return !withheld.contains(name) && !withheldFamilies.contains(where: name.hasPrefix) && !named.contains(name)
          && !name.contains("_")
      })
  }

  private static let withheld: Set<String> = [
    // Of the connection (RFC 9110 §7.6.1), and of the framing, which is made anew.
    "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "content-length", "expect", "host",
    "http2-settings",
    // Of the caller: its credentials here and its browser's, and where it came from.
    "authorization", "cookie", "x-api-key", "client-cert", "x-esri-authorization", "dpop", "origin", "referer",
    "forwarded", "via",
    "x-real-ip", "x-request-id", "max-forwards", "client-ip", "true-client-ip", "cf-connecting-ip", "x-client-ip",
    "proxy",
    // What makes a server act on another path, host or method than the one that was checked.
    "x-rewrite-url", "x-override-url", "x-host", "x-http-method", "x-http-method-override", "x-method-override",
    "destination",
  ]

  private static let withheldFamilies = [
    "proxy-", "x-forwarded-", "x-original-", "sec-", "x-accel-", "x-ms-client-principal",
  ]

  /// What comes back; an allow-list without cookies and authentication, since a foreign answer stands on our origin.
  static func ofAnswer(_ headers: Headers) -> Headers {
    let hasLength = headers.single("content-length").flatMap(length) != nil
    return Headers(
      headers.fields.filter { field in
        returned.contains(field.name.text) && isText(field) && (field.name != "content-length" || hasLength)
      })
  }

  private static let returned: Set<String> = [
    "accept-ranges", "allow", "content-disposition", "content-encoding", "content-language", "content-length",
    "content-range", "content-type", "etag", "last-modified", "location", "retry-after", "vary", "warning",
  ]
}
