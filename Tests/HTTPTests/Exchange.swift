import HTTP

/// What a server connection would do with received bytes, without a socket.
struct Exchange {
  /// One line per request, or the status of the refusal that ends the exchange.
  private(set) var outcomes: [String] = []
  /// Everything known of each request, for comparing two exchanges.
  private(set) var details: [String] = []

  /// The path of each request.
  private(set) var paths: [String] = []

  private let limits: ParserLimits
  private var buffer: [UInt8] = []
  private var head: RequestHead?
  private var decoder: ChunkedDecoder?
  private var body: [UInt8] = []
  private var isClosed = false

  init(limits: ParserLimits = ParserLimits()) { self.limits = limits }

  /// Receives `bytes` in pieces of at most `size` bytes; at the end a request begun and not complete is told.
  static func run(
    _ bytes: [UInt8], pieces size: Int = Int.max, limits: ParserLimits = ParserLimits()
  ) -> Exchange {
    var exchange = Exchange(limits: limits)
    var start = 0
    while start < bytes.count {
      let end = start + min(size, bytes.count - start)
      exchange.receive(bytes[start..<end])
      start = end
    }
    if !exchange.isClosed, !exchange.buffer.isEmpty || exchange.head != nil { exchange.note("incomplete", "") }
    return exchange
  }

  mutating func receive(_ bytes: ArraySlice<UInt8>) {
    if isClosed { return }
    buffer += bytes
    do throws(ParseFailure) {
      while try advance() {}
    } catch {
      isClosed = true
      note("\(error.status.code)", error.reason)
    }
  }

  /// Takes one step; false when more bytes are needed.
  private mutating func advance() throws(ParseFailure) -> Bool {
    guard let head else {
      guard let head = try RequestParser.parseHead(buffer.span, limits: limits) else { return false }
      buffer.removeFirst(head.byteCount)
      self.head = head
      decoder = head.bodyFraming == .chunked ? ChunkedDecoder(for: head) : nil
      body = []
      return true
    }
    switch head.bodyFraming {
    case .none: break
    case .length(let length):
      let count = min(length - body.count, buffer.count)
      body += buffer.prefix(count)
      buffer.removeFirst(count)
      guard body.count == length else { return false }
    case .chunked:
      let received = buffer
      let count = try decoder?.decode(received.span, into: &body) ?? 0
      buffer.removeFirst(count)
      guard decoder?.isComplete == true else { return false }
    }
    finish(head)
    return true
  }

  private mutating func finish(_ head: RequestHead) {
    let request = Request(head, body: body, remoteAddress: "127.0.0.1", isSecure: false)
    let text = String(decoding: request.body, as: UTF8.self)
    let fields = head.headers.fields.map { "\($0.name.text): \($0.value.text)" }
    note(
      "\(head.method.name) \(head.path)" + (text.isEmpty ? "" : " \(text)"),
      "\(head.target) \(head.authority ?? "-") \(head.version) \(head.keepAlive) \(head.expectsContinue) \(fields)")
    paths.append(request.path)
    self.head = nil
  }

  private mutating func note(_ outcome: String, _ detail: String) {
    outcomes.append(outcome)
    details.append("\(outcome) \(detail)")
  }
}
