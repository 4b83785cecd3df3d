/// The HTTP/1.1 response writer for one request: response in, bytes out, no I/O (RFC 9112 §4, §6).
public struct ResponseEncoder: Sendable {
  let isHead: Bool
  let version: RequestHead.Version
  /// Whether the server keeps the connection open.
  public let keepAlive: Bool

  /// A body up to this many bytes is copied behind its head.
  public static var longestCopiedBody: Int { 4 * 1024 }

  /// How the server goes on after the encoded bytes are sent.
  public enum Remainder: Sendable {
    /// The whole answer is in the buffer.
    case nothing
    /// These bytes follow as they are: a body too long to be worth copying.
    case bytes([UInt8])
    /// The streamed body follows: each piece by ``appendChunk(_:to:)``, the end by ``appendLastChunk(to:)``.
    case chunks(@Sendable (any BodyWriter) async throws -> Void)
    /// The streamed body follows as it is, in exactly so many bytes.
    case counted(Int, @Sendable (any BodyWriter) async throws -> Void)
    /// The streamed body follows as it is, and closing the connection ends it (HTTP/1.0).
    case untilClose(@Sendable (any BodyWriter) async throws -> Void)
  }

  /// An encoder for the answer to `head`; `keepAlive` is whether the server keeps the connection open.
  public init(for head: RequestHead, keepAlive: Bool) {
    self.init(isHead: head.method == .head, version: head.version, keepAlive: keepAlive)
  }

  /// An encoder for an answer without a parsed request, for example to a ``ParseFailure``.
  public init(isHead: Bool = false, version: RequestHead.Version = .http11, keepAlive: Bool = false) {
    self.isHead = isHead
    self.version = version
    self.keepAlive = keepAlive
  }

  /// Appends the head and, where it is short, the body to `output`.
  ///
  /// The encoder alone writes `Date`, `Connection`, `Content-Length` and `Transfer-Encoding`; such fields of the
  /// response are left out, except a Content-Length that answers HEAD with an empty body.
  /// - Parameters:
  ///   - response: Sent without its body to HEAD and for 204 and 304 (RFC 9110 §6.4.1). One whose status is none of a
  ///     final answer is sent as 500: a proxy in front would take what follows a 1xx for something else.
  ///   - date: The `Date` field's value, made once per second by ``HTTPDate/format(_:)``.
  ///   - output: Bytes already in it stay, so that the answers of one turn leave together.
  /// - Returns: what the server still has to send.
  public func encode(_ response: Response, date: String, to output: inout [UInt8]) -> Remainder {
    guard (200...599).contains(response.status.code) else {
      return encode(Response(status: .internalServerError), date: date, to: &output)
    }
    let hasContent = response.status.allowsContent
    let endsByClosing = version == .http10 && !isHead && hasContent && response.body.isUnmeasured
    let framing = hasContent ? framing(of: response) : .none
    appendStatusLine(response.status, date: date, to: &output)
    if !keepAlive || endsByClosing {
      output.append(text: "\r\nconnection: close")
    } else if version == .http10 {
      output.append(text: "\r\nconnection: keep-alive")
    }
    let (own, shared) = response.headers.parts
    for field in own where !Self.isOwn(field.name.text) { output.append(line: field.name.text, field.value.text) }
    if let shared { output.append(contentsOf: shared.encoded) }
    framing.append(to: &output)
    output.append(text: "\r\n\r\n")
    return isHead || !hasContent ? .nothing : appendBody(response.body, to: &output)
  }

  private func appendStatusLine(_ status: Status, date: String, to head: inout [UInt8]) {
    if status == .ok {
      head.append(text: "HTTP/1.1 200 OK\r\ndate: ")
    } else {
      head.append(text: "HTTP/1.1 ")
      head.append(decimal: status.code)
      head.append(text: " ")
      head.append(text: status.phrase)
      head.append(text: "\r\ndate: ")
    }
    head.append(text: date)
  }

  /// Whether the encoder alone writes fields of this name.
  static func isOwn(_ name: String) -> Bool {
    switch name.utf8.count {
    case 4: name == "date"
    case 10: name == "connection"
    case 14: name == "content-length"
    case 17: name == "transfer-encoding"
    default: false
    }
  }

  /// The field that says where the body ends.
  private enum Framing {
    case none
    case length(Int)
    /// As a handler wrote it for HEAD.
    case givenLength(String)
    case chunked

    func append(to head: inout [UInt8]) {
      switch self {
      case .none: break
      case .length(let length):
        head.append(text: "\r\ncontent-length: ")
        head.append(decimal: length)
      case .givenLength(let length): head.append(line: "content-length", length)
      case .chunked: head.append(text: "\r\ntransfer-encoding: chunked")
      }
    }
  }

  private func framing(of response: Response) -> Framing {
    switch response.body {
    case .empty:
      if isHead, let given = response.headers["content-length"] { return .givenLength(given) }
      return .length(0)
    case .bytes(let body): return .length(body.count)
    case .stream(let length?, _): return .length(length)
    case .stream: return version == .http11 ? .chunked : .none
    }
  }

  private func appendBody(_ body: Response.Body, to output: inout [UInt8]) -> Remainder {
    switch body {
    case .empty: return .nothing
    case .bytes(let body):
      if body.count > Self.longestCopiedBody { return .bytes(body) }
      output.append(contentsOf: body)
      return .nothing
    case .stream(let length?, let produce): return .counted(length, produce)
    case .stream(nil, let produce): return version == .http11 ? .chunks(produce) : .untilClose(produce)
    }
  }

  /// Appends one chunk of a streamed body; an empty piece appends nothing (it would end the body).
  public static func appendChunk(_ bytes: [UInt8], to output: inout [UInt8]) {
    if bytes.isEmpty { return }
    output.reserveCapacity(output.count + bytes.count + 20)
    appendChunkStart(bytes.count, to: &output)
    output.append(contentsOf: bytes)
    appendChunkEnd(to: &output)
  }

  /// Appends what comes before the `count` bytes of a chunk, at least one.
  public static func appendChunkStart(_ count: Int, to output: inout [UInt8]) {
    output.append(contentsOf: String(count, radix: 16).utf8)
    appendChunkEnd(to: &output)
  }

  /// Appends what comes behind the bytes of a chunk.
  public static func appendChunkEnd(to output: inout [UInt8]) { output.append(contentsOf: "\r\n".utf8) }

  /// Appends the end of a streamed body.
  public static func appendLastChunk(to output: inout [UInt8]) { output.append(contentsOf: "0\r\n\r\n".utf8) }

  /// Appends the interim answer `100 Continue` (RFC 9110 §15.2.1).
  public static func appendContinue(to output: inout [UInt8]) {
    output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
  }
}

extension [UInt8] {
  /// Appends `text` in one copy: for a long one a loop over its bytes costs several times as much, for a short one less.
  fileprivate mutating func append(text: String) {
    guard text.utf8.count <= 40 else { return append(contentsOf: text.utf8) }
    append(copying: text.utf8.span)
  }

  /// Ends the line before, and appends a field without its end.
  fileprivate mutating func append(line name: String, _ value: String) {
    append(text: "\r\n")
    append(text: name)
    append(text: ": ")
    append(text: value)
  }

  /// Appends `number`, which is not negative.
  fileprivate mutating func append(decimal number: Int) {
    if number >= 10 { append(decimal: number / 10) }
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }
}

extension Status {
  /// Whether a response of this status may have content at all (RFC 9110 §6.4.1).
  fileprivate var allowsContent: Bool { self != .noContent && self != .notModified }
}
