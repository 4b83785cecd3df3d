/// A registered redirect URI; requests match it byte for byte (RFC 9700 §2.1).
public struct RedirectURI: Sendable, Hashable {
  public let text: String

  /// What ``init(_:)`` takes, in words.
  public static let rule =
    "https, http on localhost, or an app’s own scheme such as com.example.app:/back, without fragment, * or dot segments"

  /// Takes an absolute URI without fragment, user info or wildcard: https, http on loopback, or a private-use scheme
  /// with a dot and a path (`org.example.app:/callback`, RFC 8252 §7.1).
  public init?(_ text: String) {
    guard text.utf8.count <= 2000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    guard !text.contains("#"), !text.contains("*"), !text.contains("\\") else { return nil }
    let scheme = text.prefix { $0 != ":" }.lowercased()
    switch scheme {
    case "https", "http":
      guard let url = ResourceURL(text), url.isHTTPS || url.isLoopback else { return nil }
    default:
      // The slash tells a scheme from a host that was typed without one (`example.org:8080`).
      guard Self.isPrivateUse(scheme), text.dropFirst(scheme.count).hasPrefix(":/"), !text.contains("@") else {
        return nil
      }
    }
    self.text = text
  }

  private static func isPrivateUse(_ scheme: String) -> Bool {
    guard let first = scheme.utf8.first, (0x61...0x7A).contains(first), scheme.contains(".") else { return false }
    return scheme.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
    }
  }

  /// What a person sees of where the app will be called: the host with a port that is not the usual one, or the
  /// private-use scheme.
  public var destination: String {
    guard let origin, let mark = origin.firstRange(of: "://") else { return String(text.prefix { $0 != ":" }) }
    return String(origin[mark.upperBound...])
  }

  /// `scheme://host[:port]` for the form-action directive; `nil` for private-use schemes.
  public var origin: String? { ResourceURL(text)?.origin }

  /// Whether a request may name `requested`: the same bytes, or the same but for the port when both are on a loopback
  /// address, for native apps that listen on a free port (RFC 8252 §7.3).
  public func matches(_ requested: String) -> Bool {
    // By bytes: Swift's own comparison takes canonically equivalent texts for equal.
    if text.utf8.elementsEqual(requested.utf8) { return true }
    guard let own = ResourceURL(text), let other = ResourceURL(requested), !own.isHTTPS, !other.isHTTPS else {
      return false
    }
    guard own.isLoopbackAddress, other.isLoopbackAddress else { return false }
    return Self.withoutPort(text).utf8.elementsEqual(Self.withoutPort(requested).utf8)
  }

  /// An http URL as it stands, but for the port.
  private static func withoutPort(_ url: String) -> String {
    let (scheme, rest) = (url.prefix(7), url.dropFirst(7))
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let host = authority.lastIndex(of: "]").map { authority[...$0] } ?? authority.prefix { $0 != ":" }
    return "\(scheme)\(host)\(rest.dropFirst(authority.count))"
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
