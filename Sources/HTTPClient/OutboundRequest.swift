public import HTTP

/// One request to another server.
public struct OutboundRequest: Sendable {
  public var method: Method
  /// An absolute URL, read as ``OutboundURL``.
  public var url: String
  /// Fields to send; framing, `Host` and connection fields are the client's own and refused.
  public var headers: Headers
  public var body: [UInt8]
  /// A body that comes bit by bit, instead of ``body``; for ``OutboundClient/open(_:)`` alone.
  public var stream: Request.Stream?
  public var reach: Reach
  public var limits: OutboundLimits
  /// A PEM file of certificates to trust besides the system's.
  public var authorities: String?
  /// The key that the server must have, in place of a trusted authority's signature.
  public var pin: ServerPin?
  /// Whose connections may be used and added to: requests of different pools never share a connection or TLS session.
  ///
  /// Name the credential and its generation wherever a connection itself becomes authenticated. `nil` is the pool of
  /// requests that carry their credential in a field, or none.
  public var pool: String?
  /// What the network in front of the server asks for; its owner has connections of their own.
  public var network: NetworkCredential?
  /// Whether a kept connection may be used.
  ///
  /// A kept connection may be closing just now, and then nobody can tell whether the request arrived: ask for a new
  /// one where an ambiguous outcome is dear.
  public var mayReuseConnection: Bool
  /// Whether the answer or failure tells of the TLS handshake: the request then has a connection to itself, which is
  /// closed behind it, because a resumed session skips what is to be seen.
  public var observesHandshake: Bool
  /// Whether cancelling the caller's task also ends the exchange, sent or not.
  public var cancellable: Bool
  /// The request does not leave at or after this instant, however long connecting took; counts suspension.
  public var sendBefore: ContinuousClock.Instant?
  /// Is given what ends the exchange at any time from then on, the answer's body included, from any thread.
  public var onStart: (@Sendable (_ cancel: @escaping @Sendable () -> Void) -> Void)?

  public init(
    _ method: Method = .get, _ url: String, headers: Headers = [], body: [UInt8] = [], reach: Reach = .publicHTTPS
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.reach = reach
    limits = OutboundLimits()
    authorities = nil
    pin = nil
    pool = nil
    network = nil
    mayReuseConnection = true
    observesHandshake = false
    cancellable = false
    sendBefore = nil
    onStart = nil
  }

  /// The URL it goes to, once nothing speaks against sending the request as it is.
  func checked() throws(OutboundFailure) -> OutboundURL {
    let url: OutboundURL
    do { url = try OutboundURL(self.url) } catch { throw .refusedByPolicy(.url(error)) }
    let isWord = !method.name.isEmpty && method.name.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    guard isWord && method.name != "CONNECT" else { throw .refusedByPolicy(.method) }
    if let field = headers.fields.first(where: { Self.ownFields.contains($0.name) }) {
      throw .refusedByPolicy(.header(field.name))
    }
    if let refusal = AddressPolicy(reach: reach, url: url).refusalOfURL() { throw .refusedByPolicy(refusal) }
    return url
  }

  private static let ownFields: Set<FieldName> = [
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer", "expect",
    "proxy-authorization", "proxy-connection",
  ]
}

/// How long an exchange may take and how large its answer may be.
public struct OutboundLimits: Sendable, Equatable {
  /// For looking up the name, connecting and the TLS handshake together.
  public var connect: Duration
  /// For everything, waiting for a place included.
  public var total: Duration
  /// Bytes of the answer's fields.
  public var head: Int
  /// Bytes of the answer's body.
  public var body: Int
  /// How long nothing may come or go, to the second, in an exchange whose ``total`` is long; `nil` for no such limit.
  public var silence: Duration?

  public init(
    connect: Duration = .seconds(3), total: Duration = .seconds(10), head: Int = 32 * 1024, body: Int = 64 * 1024
  ) {
    self.connect = connect
    self.total = total
    self.head = head
    self.body = body
  }
}

/// The head of an answer whose body is still coming; an error status is an answer too.
public struct OutboundAnswer: Sendable {
  public let status: Status
  public let headers: Headers
  /// Ends as the body does, and fails with an ``OutboundFailure`` when that stays incomplete.
  ///
  /// Whoever lets it go ends the exchange.
  public let body: PipeReader
}

/// A complete answer; an error status is an answer too.
public struct OutboundResponse: Sendable {
  public let status: Status
  public let headers: Headers
  public let body: [UInt8]
  /// What the server's clock said, in seconds since 1970, when it sent a readable `Date`.
  public let date: Int?
  /// What the TLS handshake told, when the request observed it.
  public let handshake: Handshake?
}
