internal import HTTP

/// Which header fields the proxy passes on (RFC 9110 §7.6).
enum PassedFields {
  /// What goes to the upstream: not what concerns the way here, who asks, or what we say ourselves.
  static func ofRequest(_ headers: Headers) -> Headers {
    let named = headers.values(of: "connection").flatMap { $0.split(separator: ",") }
      .map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
    return Headers(
      headers.fields.filter { field in
        let name = field.name.text
        return !withheld.contains(name) && !withheldFamilies.contains(where: name.hasPrefix) && !named.contains(name)
      })
  }

  private static let withheld: Set<String> = [
    // Of the connection (RFC 9110 §7.6.1), and of the framing, which is made anew.
    "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "content-length", "expect", "host",
    "http2-settings",
    // Of the caller: its credentials here and its browser's, and where it came from.
    "authorization", "cookie", "x-api-key", "x-esri-authorization", "dpop", "origin", "referer", "forwarded", "via",
    "x-real-ip", "x-request-id", "max-forwards",
  ]

  private static let withheldFamilies = ["proxy-", "x-forwarded-", "sec-"]

  /// What comes back; an allow-list without cookies and authentication, since a foreign answer stands on our origin.
  static func ofAnswer(_ headers: Headers) -> Headers {
    Headers(headers.fields.filter { returned.contains($0.name.text) })
  }

  private static let returned: Set<String> = [
    "accept-ranges", "allow", "content-disposition", "content-encoding", "content-language", "content-length",
    "content-range", "content-type", "etag", "last-modified", "location", "retry-after", "vary", "warning",
  ]
}
