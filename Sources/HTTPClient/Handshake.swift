/// What a TLS handshake told about the server, for a request that observes it.
public struct Handshake: Sendable, Equatable {
  /// The authorities whose certificates the server takes from clients, as RFC 4514 writes names; empty when it takes
  /// those of any, `nil` when it asked for no certificate.
  public var clientAuthorities: [String]?
  /// Why the server's certificate is not trusted; `nil` when it is, or when none was seen.
  public var distrust: Distrust?
  /// The server's certificates in DER, its own first.
  public var chain: [[UInt8]] = []
  /// The number of the alert by which the server ended the connection (RFC 8446 §6), if it sent one.
  public var alert: UInt8?

  public enum Distrust: Sendable, Equatable {
    /// No trusted authority has signed it: it is self-signed, of an unknown authority, or sent without its chain.
    case unknownAuthority
    case expired
    case notYetValid
    /// It is made out to another name.
    case otherHost
    /// The number of OpenSSL (`X509_V_ERR_…`).
    case other(Int)
  }

  public init(clientAuthorities: [String]? = nil, distrust: Distrust? = nil) {
    self.clientAuthorities = clientAuthorities
    self.distrust = distrust
  }

  /// Names that are kept of one request for a certificate, and bytes of each.
  static let mostAuthorities = 32
  static let longestAuthority = 256
}
