/// The buffers of one loop, lent to a connection while it is busy; an idle connection holds none.
///
/// Whoever gives one back must `consume` it: a second reference would make the next borrower copy it.
struct BufferPool {
  /// The bytes of an input buffer; it takes the longest head that the default limits allow, and a TLS record.
  static let inputSize = 64 << 10
  /// An output buffer that grew beyond this is not kept.
  static let outputLimit = 256 << 10
  /// How many of each kind are kept; answers of more connections never wait at a time.
  static let spareCount = 16

  private var inputs: [[UInt8]] = []
  private var outputs: [[UInt8]] = []

  /// A buffer of ``inputSize`` bytes with anything in them.
  mutating func takeInput() -> [UInt8] {
    inputs.popLast() ?? [UInt8](repeating: 0, count: Self.inputSize)
  }

  mutating func giveInput(_ buffer: consuming [UInt8]) {
    if buffer.count == Self.inputSize && inputs.count < Self.spareCount { inputs.append(buffer) }
  }

  /// An empty buffer with room.
  mutating func takeOutput() -> [UInt8] {
    if let spare = outputs.popLast() { return spare }
    var fresh: [UInt8] = []
    fresh.reserveCapacity(16 << 10)
    return fresh
  }

  mutating func giveOutput(_ buffer: consuming [UInt8]) {
    guard (1...Self.outputLimit).contains(buffer.capacity) && outputs.count < Self.spareCount else { return }
    buffer.removeAll(keepingCapacity: true)
    outputs.append(buffer)
  }
}
