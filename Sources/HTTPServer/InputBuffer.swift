/// What was received and not yet understood.
///
/// Its storage is lent by the loop while bytes are coming in; between requests it is empty, and while the rest of a
/// request is awaited it is just as large as what is there.
struct InputBuffer {
  private(set) var bytes: [UInt8] = []
  private var start = 0
  private var end = 0

  var isEmpty: Bool { start == end }

  var count: Int { end - start }

  /// Whether nothing more fits.
  var isFull: Bool { start == 0 && end == BufferPool.inputSize }

  /// Calls `body` with what is there.
  func withSpan<T, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> T) throws(Failure) -> T {
    try body(bytes.span.extracting(start..<end))
  }

  mutating func consume(_ count: Int) { start += count }

  mutating func move(_ count: Int, to other: inout [UInt8]) {
    other.append(contentsOf: bytes[start..<start + count])
    start += count
  }

  /// Calls `fill` with the storage and where its free part begins, and keeps as many bytes as it returns.
  ///
  /// There is free room unless ``isFull``.
  mutating func append<Failure: Error>(
    from pool: inout BufferPool, _ fill: (inout [UInt8], Int) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    if start > 0 || bytes.count < BufferPool.inputSize { moveToFront(pool: &pool) }
    let count = try fill(&bytes, end)
    end += max(count, 0)
    return count
  }

  /// Gives back the lent storage; what is there is copied.
  mutating func settle(into pool: inout BufferPool) {
    guard bytes.count == BufferPool.inputSize && count < BufferPool.inputSize / 2 else { return }
    let kept = isEmpty ? [] : Array(bytes[start..<end])
    pool.giveInput(bytes)
    bytes = kept
    (start, end) = (0, kept.count)
  }

  private mutating func moveToFront(pool: inout BufferPool) {
    if bytes.count == BufferPool.inputSize {
      if start > 0 { for offset in 0..<count { bytes[offset] = bytes[start + offset] } }
    } else {
      var larger = pool.takeInput()
      if !isEmpty { larger.replaceSubrange(0..<count, with: bytes[start..<end]) }
      bytes = consume larger
    }
    (start, end) = (0, count)
  }
}
