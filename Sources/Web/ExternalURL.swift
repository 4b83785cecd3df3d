import Domain
import HTTP

/// The address under which people and apps reach this installation; everything we say about ourselves comes from it.
public struct ExternalURL: Sendable, Equatable {
  /// Without a slash at its end; also the issuer of our tokens.
  public let text: String
  /// Empty, or like `/gate`: what every path of ours begins with.
  public let basePath: String
  public let origin: String
  public let host: String
  /// What the Host field of nearly every request says: that was sent to ``origin``, or to another name of this machine.
  private let authorities: [String]
  public let isHTTPS: Bool

  /// Takes an https URL, or an http URL on a loopback host, without query.
  ///
  /// - Throws: ``Objection`` with a sentence for whoever wrote the configuration.
  public init(_ text: String) throws(Objection) {
    guard let url = ResourceURL(text), url.query.isEmpty, !text.contains("?") else {
      throw Objection(text: "\(text) is not an http or https URL without query and fragment.")
    }
    guard url.isHTTPS || url.isLoopback else {
      throw Objection(text: "\(text) must be https: plain http is only for localhost.")
    }
    let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
    guard !path.hasSuffix("/") else { throw Objection(text: "\(text) ends in more than one slash.") }
    basePath = path
    origin = url.origin
    host = url.host
    let authority = String(url.origin.dropFirst(url.isHTTPS ? "https://".count : "http://".count))
    authorities = [authority] + Self.ownNames.map { $0 + authority.dropFirst(url.host.count) }
    isHTTPS = url.isHTTPS
    self.text = url.origin + path
  }

  /// The origin of another https listener on the same host.
  public func host(withPort port: UInt16) -> String { "https://\(host):\(port)" }

  /// What is wrong with an external URL.
  public struct Objection: Error, Equatable {
    public let text: String
  }

  /// Whether a request came by a way that the external URL does not know of.
  ///
  /// Over plain http our cookies lack what protects them elsewhere, so a proxy or tunnel must not carry them further.
  func isDetour(_ headers: Headers) -> Bool {
    guard !isHTTPS else { return false }
    return headers.contains(oneOf: Self.forwardedFields)
  }

  /// Whether a request came in clear from another machine, although we are reached by https.
  ///
  /// A load balancer may ask in clear how we are: neither question nor answer holds anything.
  func isExposed(_ request: Request) -> Bool {
    guard isHTTPS, !request.isSecure, !request.path.hasPrefix(basePath + "/health/") else { return false }
    return IPAddress(request.remoteAddress)?.isLoopback != true
  }

  private static let ownNames = ["localhost", "127.0.0.1", "[::1]"]

  private static let forwardedFields: [FieldName] = [
    "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
  ]

  /// Whether `request` names a host that is ours.
  ///
  /// Over https a proxy in front has checked it; on loopback a foreign name is a page elsewhere that had its name
  /// resolved to this machine.
  func accepts(_ request: Request) -> Bool {
    if isHTTPS || authorities.contains(where: { request.headers.has("host", $0) }) { return true }
    guard let name = request.authority?.host else { return true }
    return name == host || Self.ownNames.contains(name)
  }
}
