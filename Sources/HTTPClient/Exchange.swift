import HTTP

/// What has become of one request so far; decides what may happen next, and does no input or output.
struct Exchange {
  private let policy: AddressPolicy
  private let limits: OutboundLimits
  private let isRepeatable: Bool
  private let sendBefore: ContinuousClock.Instant?

  /// The first reason for which an address was refused.
  private var refusal: PolicyRefusal?
  private var isLate = false
  private var isTooLarge = false
  /// Whether the answer has a status that no final answer has.
  private var isUnusable = false
  /// Whether the request was let go to a ready connection, so that some of it may have left.
  private var isSent = false
  /// Whether anything of an answer came since the request was last let go.
  private var isAnswered = false
  /// Whether an answer's fields, all of them, have come.
  private var isHeadComplete = false
  private var headSize = 0
  private var headers = Headers()
  private var status = 0
  private var body: [UInt8] = []
  private var bodySize = 0
  /// Whether libcurl answers an answer of 401 by itself, unless its body is handed on.
  private let asksFirst: Bool
  /// Where the answer's body goes bit by bit.
  private let sink: BytePipe?
  /// Where the request's body comes from bit by bit.
  let source: BytePipe?
  /// What is seen of the handshake; `nil` when nobody asked.
  var handshake: Handshake?

  /// What becomes of bytes that came.
  enum Reception {
    case taken
    /// They shall come again later.
    case paused
    case refused
  }

  init(_ request: OutboundRequest, to url: OutboundURL, answer: BytePipe? = nil) {
    sink = answer
    source = request.stream?.pipe
    policy = AddressPolicy(reach: request.reach, url: url)
    limits = request.limits
    isRepeatable = ["GET", "HEAD", "OPTIONS"].contains(request.method.name)
    sendBefore = request.sendBefore
    asksFirst = request.network?.login?.asksFirst ?? false
    handshake = request.observesHandshake ? Handshake() : nil
  }

  /// Whether a connection to the address may be opened.
  ///
  /// One refused address refuses the request: a name with both public and private addresses is not to be trusted.
  mutating func mayDial(_ address: IPAddress, port: Int) -> Bool {
    if refusal == nil { refusal = policy.refusal(of: address, port: port) }
    return refusal == nil
  }

  /// Whether the request may leave on a ready connection, new or kept, to `address`.
  ///
  /// libcurl repeats a request by itself when a kept connection ends without an answer. The server may have acted on
  /// it all the same, so only requests without effect are repeated (RFC 9110 §9.2.2).
  mutating func maySend(to address: IPAddress?, port: Int, at now: ContinuousClock.Instant) -> Bool {
    if isSent && !isRepeatable && !isAnswered { return false }
    guard let address, mayDial(address, port: port) else { return false }
    if let sendBefore, now >= sendBefore { isLate = true }
    if isLate { return false }
    isSent = true
    isAnswered = false
    return true
  }

  /// Takes one line of the answer's head, or of its trailer; `false` stops the exchange.
  mutating func receive(line: some Collection<UInt8>) -> Bool {
    isAnswered = true
    headSize += line.count
    isTooLarge = isTooLarge || headSize > limits.head
    guard !isTooLarge, !isUnusable else { return false }
    if line.starts(with: "HTTP/".utf8) {
      // An interim answer (1xx) came before, or the request was repeated.
      headers = Headers()
      isHeadComplete = false
      status = Self.status(in: line)
    } else if line.first == 0x0D || line.first == 0x0A {
      isHeadComplete = true
      // We never ask for another protocol, so whoever switches to one (101) is not to be followed.
      isUnusable = status == 101 || !(100...599).contains(status)
      return !isUnusable
    } else if !isHeadComplete, let field = Self.field(in: line) {
      headers.add(field.name, field.value)
    }
    return true
  }

  /// Takes a piece of the answer's body.
  mutating func receive(body piece: some Collection<UInt8>) -> Reception {
    isTooLarge = isTooLarge || bodySize + piece.count > limits.body
    guard !isTooLarge else { return .refused }
    if let sink {
      if sink.isAbandoned { return .refused }
      guard sink.offer(piece) else { return .paused }
    } else {
      body.append(contentsOf: piece)
    }
    bodySize += piece.count
    return .taken
  }

  private static let final = 200...599

  /// The final answer's head, once all of it is there (RFC 9110 §15.2: interim answers come before).
  ///
  /// An answer of 401 without a body may be a question within an authentication; the end of the exchange tells.
  var head: OutboundResponse? {
    let isQuestion = asksFirst && status == 401 && bodySize == 0
    guard isHeadComplete, Self.final.contains(status), !isQuestion else { return nil }
    return OutboundResponse(
      status: Status(integerLiteral: status), headers: headers, body: [], date: nil, handshake: handshake)
  }

  /// The number in `HTTP/1.1 200 OK`; 0 when there is none.
  private static func status(in line: some Collection<UInt8>) -> Int {
    line.drop { $0 != 0x20 }.dropFirst().prefix { (0x30...0x39).contains($0) }.prefix(3)
      .reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// The answer, when libcurl found its body complete and its head was.
  func response(status: Int) throws(OutboundFailure) -> OutboundResponse {
    guard isHeadComplete else {
      throw failure(.init(.connectionLost, "The connection ended within the answer's fields."))
    }
    guard Self.final.contains(status) else {
      throw failure(.init(.malformed, "The answer has the status \(status), which is none of a final answer."))
    }
    let date = headers["date"].flatMap(HTTPDate.parse)
    return OutboundResponse(
      status: Status(integerLiteral: status), headers: headers, body: body, date: date, handshake: handshake)
  }

  /// What the caller is told when the exchange ends for `cause`.
  func failure(_ cause: OutboundFailure.Cause) -> OutboundFailure {
    if isTooLarge { return .tooLarge }
    if isSent { return .incomplete(cause) }
    if let refusal { return .refusedByPolicy(refusal) }
    if isLate { return .notSent(.init(.late, "The connection was ready only after the instant to send before.")) }
    return .notSent(cause)
  }

  /// One field line; `nil` when it is none (a continuation, RFC 9112 §5.2, or a name or value no field may have).
  private static func field(in line: some Collection<UInt8>) -> Headers.Field? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
    let after = Array(line[line.index(after: colon)...].drop(while: isBlank))
    let value = after.prefix((after.lastIndex { !isBlank($0) } ?? -1) + 1)
    guard let name = FieldName(String(decoding: line[..<colon], as: UTF8.self)),
      let value = FieldValue(String(decoding: value, as: UTF8.self))
    else { return nil }
    return Headers.Field(name, value)
  }
}
