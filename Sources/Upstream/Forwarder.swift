public import Domain
public import HTTP
internal import HTTPClient

/// Sends an app's own request on to an upstream with a credential applied; bodies of any size go through piece by piece.
public struct Forwarder: Sendable {
  let client: OutboundClient

  /// The answer of an upstream, whatever its status; a redirect is an answer, too.
  public struct Answer: Sendable {
    public let status: Status
    /// Those that may be passed on.
    public let headers: Headers
    /// In bytes, when the upstream said it before.
    public let length: Int?
    public let body: PipeReader
  }

  /// Bytes of an answer's body; what is longer is cut.
  private static let longestBody = 16 << 30
  private static let longest = Duration.seconds(60 * 60)
  private static let silence = Duration.seconds(60)

  /// Sends `request` to `url`, within what `connection` may reach; only `url` says where it goes.
  ///
  /// `passage` carries the person's credential. The answer is there before its body. The request leaves before `end`, or
  /// not at all; `onStart` is given what ends the exchange at any time, the answer's body included.
  public func send(
    _ request: Request, to url: ResourceURL, with passage: Passage, for connection: Connection,
    before end: ContinuousClock.Instant,
    onStart: @escaping @Sendable (_ cancel: @escaping @Sendable () -> Void) -> Void
  ) async throws(UpstreamFailure) -> Answer {
    var outbound = OutboundRequest(request.method, url.text, headers: PassedFields.ofRequest(request.headers))
    outbound.body = request.body
    outbound.stream = request.stream
    try passage.apply(to: &outbound)
    outbound.headers.set("via", "1.1 gatehouse")
    outbound.limits = OutboundLimits(connect: .seconds(5), total: Self.longest, body: Self.longestBody)
    outbound.limits.silence = Self.silence
    outbound.sendBefore = end
    outbound.onStart = onStart
    connection.open(&outbound)
    do {
      let answer = try await client.open(outbound)
      let isFramed = answer.headers["transfer-encoding"] == nil
      return Answer(
        status: answer.status, headers: PassedFields.ofAnswer(answer.headers),
        length: isFramed ? answer.headers.single("content-length").flatMap(PassedFields.length) : nil, body: answer.body
      )
    } catch {
      throw Dialer.failure(of: error, at: url.origin, declaredAs: url.hostAndPort)
    }
  }
}
