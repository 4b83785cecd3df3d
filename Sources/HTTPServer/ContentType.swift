import HTTP

/// The kinds of file that are served, by extension; others are not.
struct ContentType {
  let value: FieldValue
  /// Whether compressing pays.
  let isText: Bool

  private static let known: [String: ContentType] = [
    "css": ContentType(value: "text/css; charset=utf-8", isText: true),
    "js": ContentType(value: "text/javascript; charset=utf-8", isText: true),
    "mjs": ContentType(value: "text/javascript; charset=utf-8", isText: true),
    "json": ContentType(value: "application/json", isText: true),
    "webmanifest": ContentType(value: "application/manifest+json", isText: true),
    "svg": ContentType(value: "image/svg+xml", isText: true),
    "txt": ContentType(value: "text/plain; charset=utf-8", isText: true),
    "ico": ContentType(value: "image/x-icon", isText: false),
    "png": ContentType(value: "image/png", isText: false),
    "jpg": ContentType(value: "image/jpeg", isText: false),
    "webp": ContentType(value: "image/webp", isText: false),
    "avif": ContentType(value: "image/avif", isText: false),
    "woff2": ContentType(value: "font/woff2", isText: false),
  ]

  /// The type of a file of this name; `nil` when such files are not served.
  static func of(_ name: String) -> ContentType? {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return known[String(name[name.index(after: dot)...])]
  }
}
