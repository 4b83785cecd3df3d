/// What lets a request through the network in front of a server, with the connections that it opens.
///
/// Some of it authenticates a connection and not a request (NTLM, a client certificate), so a connection serves one
/// ``Owner`` alone.
public struct NetworkCredential: Sendable, CustomStringConvertible {
  /// One person's credential, as it stands; a newer generation never gets the connections of an older one.
  public struct Owner: Sendable, Hashable {
    public let credential: String
    public let generation: Int64

    public init(credential: String, generation: Int64) {
      self.credential = credential
      self.generation = generation
    }
  }

  public let owner: Owner
  public var login: Login?
  /// Shown to a server that asks for one in the TLS handshake.
  public var certificate: ClientCertificate?

  public init(owner: Owner, login: Login? = nil, certificate: ClientCertificate? = nil) {
    self.owner = owner
    self.login = login
    self.certificate = certificate
  }

  public var description: String { "a network credential" }

  /// A user name and password, for exactly one scheme: whatever else the server offers is not taken.
  public struct Login: Sendable, CustomStringConvertible {
    public enum Scheme: Sendable {
      /// Sent at once (RFC 7617).
      case basic
      /// Sent as the answer to a challenge (RFC 7616), the body only with it.
      case digest
      /// Authenticates the connection; the body is sent when that has happened.
      case ntlm
    }

    public let scheme: Scheme
    let username: [UInt8]
    let password: [UInt8]

    /// Takes both byte for byte, as the scheme sends them; `nil` when one holds NUL, which libcurl cannot send.
    public init?(_ scheme: Scheme, username: [UInt8], password: [UInt8]) {
      guard !username.contains(0), !password.contains(0) else { return nil }
      self.scheme = scheme
      self.username = username
      self.password = password
    }

    public var description: String { "a login" }

    /// Whether an answer of 401 may be a question that libcurl answers by itself.
    var asksFirst: Bool { scheme != .basic }
  }
}

extension NetworkCredential: CustomDebugStringConvertible, CustomReflectable {
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension NetworkCredential.Login: CustomDebugStringConvertible, CustomReflectable {
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
