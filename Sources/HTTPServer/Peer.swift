import HTTP
import CLinux
import Glibc
import TLS

/// A browser's socket: bytes in and out, in clear whether or not TLS is between.
final class Peer {
  let channel: Channel
  let address: IPAddress
  private let session: TLSSession?
  private let writeStall: Milliseconds
  private var hasPlaintext = false
  /// Ciphertext that the socket did not take yet.
  private var unsent: [UInt8] = []

  /// How much is encrypted at once.
  private static let pieceSize = 64 << 10

  /// What one attempt to read brought.
  enum Reading {
    case bytes
    case nothing
    case end
  }

  init(_ channel: Channel, address: IPAddress, core: ServerCore) throws(TLSFailure) {
    self.channel = channel
    self.address = address
    writeStall = core.deadlines.writeStall
    session = if let certificate = core.certificate { try certificate.makeSession(now: channel.loop.now) } else { nil }
  }

  var isSecure: Bool { session != nil }

  /// What the client showed in the handshake, which is over once requests come.
  private(set) lazy var certificate: [UInt8]? = session?.peerCertificate

  private var loop: EventLoop { channel.loop }

  /// Whether requests can come: the TLS handshake is over, or there is none.
  var isEstablished: Bool { session?.isEstablished ?? true }

  /// Goes on with the TLS handshake as far as what has come allows, and says whether it is over.
  nonisolated(nonsending) func establish(into input: inout InputBuffer) async throws(Ending) -> Bool {
    let reading = try read(into: &input)
    input.settle(into: &loop.buffers)
    try await sendPending()
    if reading == .end { throw .gone }
    return isEstablished
  }

  /// Takes what has come, without waiting.
  func read(into input: inout InputBuffer) throws(Ending) -> Reading {
    if let session { return try read(session, into: &input) }
    guard channel.canRead else { return .nothing }
    let count = input.append(from: &loop.buffers) { receive(into: &$0, from: $1) }
    return count > 0 ? .bytes : count == 0 ? .end : try refusal()
  }

  /// Sends what can be sent of `bytes` and then `more` without waiting, and says how much that was.
  ///
  /// - Throws: `.gone` when nobody is there to take it.
  func writeNow(_ bytes: [UInt8], _ more: [UInt8] = []) throws(Ending) -> Int {
    guard let session else { return more.isEmpty ? try sendNow(bytes, from: 0) : try sendOnce(bytes, more) }
    guard unsent.isEmpty && bytes.count + more.count <= Self.pieceSize else { return 0 }
    do {
      try session.write(bytes.span)
      try session.write(more.span)
    } catch { throw .gone }
    try sendCiphertextNow(session)
    return bytes.count + more.count
  }

  /// Whether TLS still has something to say: handshake, tickets, alerts, or the rest of an answer.
  var hasPending: Bool { !unsent.isEmpty || session?.hasOutput == true }

  /// Sends everything from `start` on; a client that takes nothing for too long is given up.
  nonisolated(nonsending) func write(_ bytes: [UInt8], from start: Int = 0) async throws(Ending) {
    guard let session else { return try await send(bytes, from: start) }
    var start = start
    while start < bytes.count {
      // A piece at a time, so that a large body is not held twice.
      let end = min(start + Self.pieceSize, bytes.count)
      do { try session.write(bytes.span.extracting(start..<end)) } catch { throw .gone }
      try await sendCiphertext(session)
      start = end
    }
  }

  /// Sends what ``hasPending`` is about.
  nonisolated(nonsending) func sendPending() async throws(Ending) {
    if let session { try await sendCiphertext(session) }
  }

  /// Says that nothing more comes.
  nonisolated(nonsending) func finish() async {
    if let session {
      session.shutdown()
      do { try await sendCiphertext(session) } catch { return }
    }
    _ = Glibc.shutdown(channel.descriptor, Int32(SHUT_WR))
  }

  /// Has the connection end with a reset once it is closed, without TLS's goodbye (RFC 9112 §8).
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(channel.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Throws away what has come; `false` at the end.
  func discard() -> Bool {
    var buffer = loop.buffers.takeInput()
    let count = receive(into: &buffer, from: 0)
    loop.buffers.giveInput(consume buffer)
    return count > 0 || count < 0 && errno == EAGAIN
  }

  private func read(_ session: TLSSession, into input: inout InputBuffer) throws(Ending) -> Reading {
    if hasPlaintext, try decrypt(session, into: &input) == .bytes { return .bytes }
    guard channel.canRead else { return .nothing }
    var ciphertext = loop.buffers.takeInput()
    let count = receive(into: &ciphertext, from: 0)
    if count > 0 {
      do { try session.receive(ciphertext.span.extracting(first: count)) } catch { throw .gone }
    }
    loop.buffers.giveInput(consume ciphertext)
    guard count > 0 else { return count == 0 ? .end : try refusal() }
    return try decrypt(session, into: &input)
  }

  private func decrypt(_ session: TLSSession, into input: inout InputBuffer) throws(Ending) -> Reading {
    var reading = Reading.nothing
    hasPlaintext = false
    while !input.isFull {
      let outcome: TLSSession.Outcome
      do {
        var found = TLSSession.Outcome.needsInput
        _ = try input.append(from: &loop.buffers) { bytes, start throws(TLSFailure) in
          found = try session.read(into: &bytes, from: start)
          return if case .bytes(let count) = found { count } else { 0 }
        }
        outcome = found
      } catch {
        // OpenSSL has made an alert that tells the client why.
        try sendCiphertextNow(session)
        throw .gone
      }
      switch outcome {
      case .bytes:
        reading = .bytes
        guard session.hasInput else { return reading }
      case .needsInput: return reading
      case .ended: return reading == .bytes ? .bytes : .end
      }
    }
    hasPlaintext = true
    channel.canRead = true
    return reading
  }

  /// One `recv`; how many bytes came, 0 at the end, or -1 with `errno`.
  private func receive(into bytes: inout [UInt8], from start: Int) -> Int {
    let room = bytes.count - start
    let count = unsafe bytes.withUnsafeMutableBytes {
      let free = unsafe UnsafeMutableRawBufferPointer(rebasing: $0[start...])
      return unsafe recv(channel.descriptor, free.baseAddress, free.count, 0)
    }
    // A short read has emptied the socket; what comes later is reported again, but the end only once.
    channel.canRead = count == room || channel.hasHungUp && count > 0
    return count
  }

  private func refusal() throws(Ending) -> Reading {
    guard errno == EAGAIN || errno == EINTR else { throw .gone }
    if errno == EINTR { channel.canRead = true }
    return .nothing
  }

  private nonisolated(nonsending) func sendCiphertext(_ session: TLSSession) async throws(Ending) {
    try sendCiphertextNow(session)
    guard !unsent.isEmpty else { return }
    let rest = unsent
    unsent = []
    try await send(rest)
  }

  private func sendCiphertextNow(_ session: TLSSession) throws(Ending) {
    guard unsent.isEmpty, session.hasOutput else { return }
    var ciphertext = loop.buffers.takeOutput()
    session.takeOutput(into: &ciphertext)
    let count = try sendNow(ciphertext, from: 0)
    if count < ciphertext.count { unsent = Array(ciphertext[count...]) }
    loop.buffers.giveOutput(consume ciphertext)
  }

  private nonisolated(nonsending) func send(_ bytes: [UInt8], from start: Int = 0) async throws(Ending) {
    var start = start
    while true {
      start += try sendNow(bytes, from: start)
      if start == bytes.count { return }
      guard await channel.untilWritable(by: loop.now + writeStall) == .ready else { throw .gone }
    }
  }

  /// As many `send`s as the system takes; it reports room again only after it has refused one.
  private func sendNow(_ bytes: [UInt8], from start: Int) throws(Ending) -> Int {
    var sent = start
    while sent < bytes.count {
      let count = unsafe bytes.span.extracting(droppingFirst: sent).withUnsafeBytes {
        unsafe Glibc.send(channel.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        channel.canWrite = false
        break
      } else if errno != EINTR {
        throw .gone
      }
    }
    return sent - start
  }

  /// One `sendmsg` of both.
  private func sendOnce(_ first: [UInt8], _ second: [UInt8]) throws(Ending) -> Int {
    let count = unsafe first.withUnsafeBytes { first in
      unsafe second.withUnsafeBytes { second in
        var parts = unsafe (
          iovec(iov_base: UnsafeMutableRawBufferPointer(mutating: first).baseAddress, iov_len: first.count),
          iovec(iov_base: UnsafeMutableRawBufferPointer(mutating: second).baseAddress, iov_len: second.count)
        )
        return unsafe withUnsafeMutablePointer(to: &parts) {
          unsafe $0.withMemoryRebound(to: iovec.self, capacity: 2) {
            var message = unsafe msghdr()
            unsafe message.msg_iov = unsafe $0
            unsafe message.msg_iovlen = 2
            return unsafe sendmsg(channel.descriptor, &message, Int32(MSG_NOSIGNAL))
          }
        }
      }
    }
    // Whoever waits for room first tries again, so that the system knows it has to report it.
    guard count < 0 else { return count }
    guard errno == EAGAIN || errno == EINTR else { throw .gone }
    return 0
  }
}
