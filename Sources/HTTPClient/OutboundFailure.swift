public import HTTP

/// Why a request has no answer, told apart by what may have happened at the other end.
public enum OutboundFailure: Error, Sendable, Equatable {
  /// The request goes where it must not, or is malformed; nothing was sent.
  case refusedByPolicy(PolicyRefusal)
  /// No byte of the request left: trying again is harmless.
  case notSent(Cause)
  /// The request left, in part or whole, and no complete answer came: it may have taken effect.
  case incomplete(Cause)
  /// The request took effect as far as can be known, and its answer exceeds a limit and was dropped.
  case tooLarge

  /// What went wrong, for the log and the administrator; holds no secret.
  public struct Cause: Sendable, Equatable, CustomStringConvertible {
    public let kind: Kind
    /// The library's or system's own words.
    public let detail: String
    /// What the TLS handshake told before, when the request observed it.
    public let handshake: Handshake?

    public init(_ kind: Kind, _ detail: String, handshake: Handshake? = nil) {
      self.kind = kind
      self.detail = detail
      self.handshake = handshake
    }

    public var description: String {
      // OpenSSL's words for bytes that are no TLS record.
      if kind == .tls, detail.contains("wrong version number") {
        return "it speaks no TLS at this port: write http:// if it is meant to"
      }
      return "\(kind.rawValue): \(detail)"
    }
  }

  public enum Kind: String, Sendable {
    /// The host name has no address.
    case name
    /// No address accepted the connection.
    case connect
    /// The TLS handshake failed.
    case tls
    /// The server's certificate is not trusted, expired, or names another host.
    case certificate
    /// The server has another key than the one it is trusted by.
    case otherKey
    /// The time is over for which the server's key was trusted.
    case approvalEnded
    /// A time limit passed.
    case timeout
    /// The connection ended before the answer did.
    case connectionLost
    /// The answer is not HTTP.
    case malformed
    /// `sendBefore` had passed when the connection was ready.
    case late
    /// The caller's task was cancelled, and the request was cancellable.
    case cancelled
    /// The client is closing.
    case closed
    /// Too many requests are waiting already.
    case overloaded
    /// libcurl refused a setting or ran out of memory.
    case library
  }
}

/// Why a request was refused before anything was sent.
public enum PolicyRefusal: Sendable, Equatable, CustomStringConvertible {
  case url(URLProblem)
  /// The method is not made of capital letters.
  case method
  /// A field that frames the message or belongs to the connection, which the client sets itself.
  case header(FieldName)
  case plainHTTP
  case port(Int)
  case address(IPAddress, AddressClass)

  public var description: String {
    switch self {
    case .url(let problem): problem.rawValue
    case .method: "The method is not a word of capital letters."
    case .header(let name): "The field \(name.text) is set by the client itself."
    case .plainHTTP: "Plain http is not allowed for this host."
    case .port(let port): "Port \(port) is not allowed for this host."
    case .address(let address, let kind): "The address \(address) is \(kind.rawValue) and not allowed for this host."
    }
  }
}
