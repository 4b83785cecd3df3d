import HTTP
import Logging

/// Where a streamed body goes: the connection, once it is known to be on its loop.
///
/// Sendable: a body may be written from any task, and each write first moves to the loop's thread, where the
/// connection lives.
struct StreamWriter: BodyWriter, @unchecked Sendable {
  /// A write that cannot be done.
  enum Failure: Error {
    /// The client left, or takes nothing.
    case clientGone
    /// The body is over, or another write is under way.
    case outOfTurn
    /// The body is not as long as was promised.
    case otherLength
  }

  /// How the end of the body is told.
  enum Framing {
    case chunks
    case counted(Int)
    case untilClose
  }

  /// Pieces of at least so many bytes are sent from where they are; smaller ones are cheaper to copy.
  private static let uncopiedSize = 16 << 10

  private let connection: Connection
  private let executor: LoopExecutor
  private let framing: Framing

  init(_ connection: Connection, _ framing: Framing) {
    self.connection = connection
    self.framing = framing
    executor = connection.loop.executor
  }

  func write(_ bytes: [UInt8]) async throws {
    try await withTaskExecutorPreference(executor) { try await writeOnLoop(bytes) }
  }

  private func writeOnLoop(_ bytes: [UInt8]) async throws {
    connection.loop.checkThread()
    guard connection.streaming == .waiting else { throw Failure.outOfTurn }
    connection.streaming = .writing
    connection.streamed += bytes.count
    if case .counted(let length) = framing, connection.streamed > length { throw Failure.otherLength }
    do throws(Ending) { try await send(bytes) } catch {
      connection.streaming = .over
      throw Failure.clientGone
    }
    connection.streaming = .waiting
  }

  private func send(_ bytes: [UInt8]) async throws(Ending) {
    connection.prepareOutput()
    let isLarge = bytes.count >= Self.uncopiedSize
    guard case .chunks = framing else {
      if isLarge { return try await connection.flush(with: bytes) }
      connection.output.append(contentsOf: bytes)
      return try await connection.flush()
    }
    guard isLarge else {
      ResponseEncoder.appendChunk(bytes, to: &connection.output)
      return try await connection.flush()
    }
    ResponseEncoder.appendChunkStart(bytes.count, to: &connection.output)
    try await connection.flush(with: bytes)
    connection.prepareOutput()
    // Leaves with the next chunk, or with the last.
    ResponseEncoder.appendChunkEnd(to: &connection.output)
  }
}

extension Connection {
  /// Whether a streamed body may be written to.
  enum Streaming {
    case over
    case waiting
    case writing
  }

  /// Sends a body as it is produced, its head with the first write.
  ///
  /// When producing fails the connection is cut, so that the client notices; before the first write it has got nothing.
  nonisolated(nonsending) func stream(
    _ produce: @Sendable (any BodyWriter) async throws -> Void, as framing: StreamWriter.Framing
  ) async throws(Ending) {
    (streaming, streamed) = (.waiting, 0)
    defer { streaming = .over }
    do { try await produce(StreamWriter(self, framing)) } catch {
      core.logger.warning("streamed body cut", ["reason": .string(String(describing: type(of: error)))])
      // Where the end of the connection ends the body, an orderly one would say that this was all.
      if case .untilClose = framing { peer.reset() }
      throw .gone
    }
    guard streaming == .waiting else { throw .gone }
    prepareOutput()
    switch framing {
    case .chunks: ResponseEncoder.appendLastChunk(to: &output)
    case .counted(let length): guard streamed == length else { throw .gone }
    case .untilClose: break
    }
    try await flush()
  }
}
