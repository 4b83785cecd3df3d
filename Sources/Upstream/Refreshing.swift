internal import Domain
internal import HTTP

extension RefreshRequest {
  /// The refresh token to present.
  func refreshToken(at connection: Connection) throws(UpstreamFailure) -> Secret {
    guard let token = tokens.refreshToken else {
      throw .refused("There is no refresh token for \(connection.origin).")
    }
    return token
  }
}

extension Dialer.Call {
  /// A POST whose answer must not be lost: on a connection of its own, so that it is sent once and not repeated.
  static func refresh(_ form: QueryItems, at url: String, _ request: RefreshRequest) -> Dialer.Call {
    var call = Dialer.Call(url: url, form: form)
    call.limit = UpstreamAnswer.maximumBytes
    call.isPrecious = true
    call.sendBefore = request.sendBefore
    return call
  }
}

extension UpstreamAnswer {
  init(_ reply: Reply, askedAt: Timestamp) {
    self.init(status: reply.status, body: Secret(reply.body), askedAt: askedAt, retryAfter: reply.retryAfter)
  }

  /// What `reading` makes of the answer; one that makes no sense leaves the refresh token usable as far as one can tell.
  func read(
    _ reading: () throws(UpstreamFailure) -> UpstreamTokens
  ) throws(UpstreamFailure) -> UpstreamTokens {
    do { return try reading() } catch .invalidAnswer(let text) { throw .transient(text, retryAfter: retryAfter) }
  }
}
