public import HTTP

/// How much, how long and how many: every limit of the server.
public struct Limits: Sendable {
  /// The TLS handshake, from the connection's acceptance on; then the connection closes.
  public var handshake = Duration.seconds(10)
  /// The first byte of a connection's first request; then the connection closes.
  public var firstByte = Duration.seconds(10)
  /// A request's line and header, from their first byte on; then the answer is 408.
  public var head = Duration.seconds(10)
  /// A request's body, from the end of the header on; then the answer is 408.
  public var body = Duration.seconds(30)
  /// How long a body may stay below ``bodyRate``; then the answer is 408.
  public var bodyGrace = Duration.seconds(5)
  /// The least average rate of a body, in bytes per second, once ``bodyGrace`` is over.
  public var bodyRate = 500
  /// How long a client may bring nothing of a body that is handed on as it comes; then the connection closes.
  public var bodyStall = Duration.seconds(20)
  /// The pause between an answer and the next request; then the connection closes.
  public var keepAlive = Duration.seconds(15)
  /// How long a client may take nothing of an answer; then the connection closes.
  public var writeStall = Duration.seconds(20)
  /// How long a refused client may go on sending before the connection closes, so that it can read the refusal.
  public var linger = Duration.seconds(2)
  /// Requests answered on one connection; then it closes.
  public var requestsPerConnection = 1_000
  /// Open connections in all; beyond it the answer is 503.
  public var connections = 10_000
  /// Open connections of one IPv4 address or IPv6 /64 network; beyond it the answer is 503.
  ///
  /// Loopback addresses and trusted proxies are exempt.
  public var connectionsPerAddress = 64
  /// Connections of one loop that keep their task, and with it their memory, while they wait for the next request.
  ///
  /// Those that have waited longest give it up first, and get a new one when a request comes.
  public var waitingTasks = 512
  /// The sizes of requests; beyond them the answer is 413, 414 or 431.
  public var sizes = ParserLimits()

  /// The defaults, which the documentation publishes.
  public init() {}
}
