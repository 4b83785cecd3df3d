public import Domain

/// The server that takes our mails.
public struct MailServer: Sendable {
  public enum Protection: Sendable {
    /// TLS from the first byte (`smtps`).
    case tls
    /// Nothing is sent before the server has gone over to TLS.
    case startTLS
    /// In clear, to this machine or a network that is trusted whole.
    case none
  }

  public let host: String
  public let port: Int
  public let protection: Protection
  public var username: String?
  public var password: Secret?
  /// A file of certificates that it may be signed by, besides those that the system trusts.
  public var authorities: String?
  /// Who we say that we are: the host of our own address.
  public var clientName = "localhost"

  public init(host: String, port: Int, protection: Protection) {
    self.host = host
    self.port = port
    self.protection = protection
  }

  /// Whether it is this machine.
  public var isLoopback: Bool { Self.isLoopback(host) }

  public static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "[::1]"
  }
}

/// Why a mail was not sent, in words for the administrator.
public struct MailFailure: Error, Sendable, CustomStringConvertible {
  public let description: String
  /// Whether the server spoke to us: then it may still take other mails.
  public let hasAnswered: Bool

  public init(description: String, hasAnswered: Bool) {
    self.description = description
    self.hasAnswered = hasAnswered
  }
}
