/// Why a request was refused before any handler saw it; the connection closes after the answer.
public struct ParseFailure: Error, Sendable, Equatable {
  /// The status to answer.
  public let status: Status
  /// A constant phrase for the log that holds nothing of the input.
  public let reason: String

  /// Makes a failure; `reason` must be a constant.
  public init(_ status: Status, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  /// The whole answer: a generic body, `Connection: close` left to the encoder, `Allow` where a 405 needs it.
  public var response: Response {
    var response = Response(status: status, body: .bytes(Array("\(status.code) \(status.phrase)\n".utf8)))
    response.headers.add("content-type", "text/plain; charset=utf-8")
    response.headers.add("cache-control", "no-store")
    if status == .methodNotAllowed { response.headers.add("allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS") }
    return response
  }

  static func malformed(_ reason: String) -> ParseFailure { ParseFailure(.badRequest, reason) }
}
