/// A registered redirect URI; requests match it byte for byte (RFC 9700 §2.1).
public struct RedirectURI: Sendable, Hashable {
  public let text: String

  /// Takes an absolute URI without fragment, user info or wildcard: https, http on loopback, or a private-use scheme with
  /// a dot (RFC 8252 §7.1).
  public init?(_ text: String) {
    guard text.utf8.count <= 2000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    guard !text.contains("#"), !text.contains("*"), !text.contains("\\") else { return nil }
    let scheme = text.prefix { $0 != ":" }.lowercased()
    switch scheme {
    case "https", "http":
      guard let url = ResourceURL(text), url.isHTTPS || url.isLoopback else { return nil }
    default:
      let plain = scheme.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
      }
      guard plain, scheme.contains("."), text.utf8.count > scheme.utf8.count + 1 else { return nil }
    }
    self.text = text
  }

  /// What a person sees of where the app will be called: the host, or the private-use scheme.
  public var destination: String { ResourceURL(text)?.host ?? String(text.prefix { $0 != ":" }) }

  /// `scheme://host[:port]` for the form-action directive; `nil` for private-use schemes.
  public var origin: String? { ResourceURL(text)?.origin }

  /// Whether a request may name `requested`: the same bytes, or the same but for the port when both are on a loopback
  /// address, for native apps that listen on a free port (RFC 8252 §7.3).
  public func matches(_ requested: String) -> Bool {
    if text == requested { return true }
    guard let own = ResourceURL(text), let other = ResourceURL(requested), !own.isHTTPS, !other.isHTTPS else {
      return false
    }
    guard own.host == other.host, own.isLoopbackAddress else { return false }
    return own.path == other.path && own.query == other.query && Self(requested) != nil
  }

  /// The URI with `parameters` (already encoded, `a=b&c=d`) added to its own query (RFC 6749 §4.1.2).
  public static func appending(_ parameters: String, to uri: String) -> String {
    uri + (uri.contains("?") ? (uri.hasSuffix("?") || uri.hasSuffix("&") ? "" : "&") : "?") + parameters
  }
}

extension ResourceURL {
  /// A loopback address or the name `localhost`.
  public var isLoopback: Bool { isLoopbackAddress || host == "localhost" || host.hasSuffix(".localhost") }

  /// An address, not a name: `127.example.org` is somebody's host.
  var isLoopbackAddress: Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return host == "[::1]" || labels.count == 4 && labels[0] == "127" && labels.allSatisfy { UInt8($0) != nil }
  }
}
