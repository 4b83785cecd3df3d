/// An incremental decoder of the chunked transfer coding (RFC 9112 §7.1); trailers are read and dropped.
///
/// Only one spelling of each chunk line is accepted, because a difference to another program in front of us about
/// where a body ends is how requests are smuggled.
public struct ChunkedDecoder: Sendable {
  /// Whether the last chunk and the trailer section have been read.
  public var isComplete: Bool { state == .complete }

  private let limit: Int
  private let excess: ParseFailure
  private var state = State.size
  /// The size being read, then the bytes of the chunk still to come.
  private var size: UInt64 = 0
  /// How many bytes of the body have been decoded.
  private var decoded = 0
  private var digits = 0
  private var chunkExtension = ChunkExtension()
  private var extensionBytes = 0
  private var trailerBytes = 0

  private enum State: Sendable {
    case size, chunkExtension, sizeLineFeed, data, dataReturn, dataLineFeed
    case trailerStart, trailerName, trailerValue, trailerLineFeed, endLineFeed, complete
  }

  /// Bounds on what carries no content: the extensions of one chunk, of all chunks, the trailer section; in bytes.
  private enum Bound {
    static let chunkExtension = 256
    static let extensions = 16 * 1024
    static let trailers = 8 * 1024
    static let sizeDigits = 16
  }

  /// A decoder for the body that `head` announces, within `head.bodyLimit`.
  public init(for head: RequestHead) {
    self.init(limit: head.bodyLimit, excess: .bodyTooLong(isUnused: head.discardsBody))
  }

  /// A decoder that refuses more than `limit` decoded bytes with 413.
  public init(limit: Int) {
    self.init(limit: limit, excess: .bodyTooLong(isUnused: false))
  }

  private init(limit: Int, excess: ParseFailure) {
    self.limit = limit
    self.excess = excess
  }

  /// Decodes what it can of `bytes` and appends it to `body`.
  ///
  /// - Returns: how many bytes were consumed: all of them, unless the body ended before (then ``isComplete``).
  /// - Throws: ``ParseFailure`` for malformed framing (400) or too long a body.
  public mutating func decode(_ bytes: Span<UInt8>, into body: inout [UInt8]) throws(ParseFailure) -> Int {
    var position = 0
    while position < bytes.count, state != .complete {
      if state == .data {
        let count = Int(min(size, UInt64(bytes.count - position)))
        body.append(copying: bytes.extracting(position..<position + count))
        decoded += count
        size -= UInt64(count)
        position += count
        if size == 0 { state = .dataReturn }
      } else {
        try step(bytes[position], room: limit - decoded)
        position += 1
      }
    }
    return position
  }

  /// Reads one byte of framing; `room` is how many more bytes the body may get.
  private mutating func step(_ byte: UInt8, room: Int) throws(ParseFailure) {
    switch state {
    case .size: try readSize(byte)
    case .chunkExtension: try readExtension(byte)
    case .sizeLineFeed:
      try expect(lineFeed, byte)
      if size > UInt64(max(0, room)) { throw excess }
      state = size == 0 ? .trailerStart : .data
      digits = 0
    case .dataReturn:
      try expect(carriageReturn, byte)
      state = .dataLineFeed
    case .dataLineFeed:
      try expect(lineFeed, byte)
      state = .size
    case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed: try readTrailer(byte)
    case .endLineFeed:
      try expect(lineFeed, byte)
      state = .complete
    case .data, .complete: break
    }
  }

  private mutating func readSize(_ byte: UInt8) throws(ParseFailure) {
    if let digit = hexValue(byte) {
      guard digits < Bound.sizeDigits else { throw .malformed("chunk size too long") }
      size = size << 4 | UInt64(digit)
      digits += 1
      return
    }
    guard digits > 0 else { throw .malformed("missing chunk size") }
    switch byte {
    case carriageReturn: state = .sizeLineFeed
    case UInt8(ascii: ";"):
      chunkExtension = ChunkExtension()
      state = .chunkExtension
    default: throw .malformed("malformed chunk size")
    }
  }

  private mutating func readExtension(_ byte: UInt8) throws(ParseFailure) {
    if byte == carriageReturn {
      guard chunkExtension.isWhole else { throw .malformed("malformed chunk extension") }
      state = .sizeLineFeed
      return
    }
    extensionBytes += 1
    guard chunkExtension.accept(byte), chunkExtension.count <= Bound.chunkExtension,
      extensionBytes <= Bound.extensions
    else { throw .malformed("malformed chunk extension") }
  }

  private mutating func readTrailer(_ byte: UInt8) throws(ParseFailure) {
    trailerBytes += 1
    if trailerBytes > Bound.trailers { throw ParseFailure(431, "trailer section too large") }
    switch (state, byte) {
    case (.trailerStart, carriageReturn): state = .endLineFeed
    case (.trailerName, UInt8(ascii: ":")): state = .trailerValue
    case (.trailerStart, _), (.trailerName, _):
      guard isTokenCharacter(byte) else { throw .malformed("malformed trailer name") }
      state = .trailerName
    case (.trailerValue, carriageReturn): state = .trailerLineFeed
    case (.trailerValue, _):
      guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { throw .malformed("malformed trailer value") }
    default:
      try expect(lineFeed, byte)
      state = .trailerStart
    }
  }

  private func expect(_ expected: UInt8, _ byte: UInt8) throws(ParseFailure) {
    guard byte == expected else { throw .malformed("malformed chunk line end") }
  }
}
