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

  /// The whole answer: a generic body that apps can read, `Connection: close` left to the encoder, `Allow` where a 405
  /// needs it.
  public var response: Response {
    let code = status.code < 500 ? "invalid_request" : "server_error"
    let text = #"{"error":"\#(code)","error_description":"\#(status.code) \#(status.phrase)"}"#
    var response = Response(status: status, body: .bytes(Array(text.utf8)))
    response.headers.add("content-type", "application/json")
    response.headers.add("cache-control", "no-store")
    if status == .methodNotAllowed { response.headers.add("allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS") }
    return response
  }

  static func malformed(_ reason: String) -> ParseFailure { ParseFailure(.badRequest, reason) }
}
