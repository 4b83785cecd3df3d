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
  }

  private let connection: Connection
  private let executor: LoopExecutor
  private let isChunked: Bool

  init(_ connection: Connection, isChunked: Bool) {
    self.connection = connection
    self.isChunked = isChunked
    executor = connection.loop.executor
  }

  func write(_ bytes: [UInt8]) async throws {
    try await withTaskExecutorPreference(executor) { try await writeOnLoop(bytes) }
  }

  private func writeOnLoop(_ bytes: [UInt8]) async throws {
    connection.loop.checkThread()
    guard connection.streaming == .waiting else { throw Failure.outOfTurn }
    connection.streaming = .writing
    connection.prepareOutput()
    if isChunked {
      ResponseEncoder.appendChunk(bytes, to: &connection.output)
    } else {
      connection.output.append(contentsOf: bytes)
    }
    do throws(Ending) { try await connection.flush() } catch {
      connection.streaming = .over
      throw Failure.clientGone
    }
    connection.streaming = .waiting
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
    _ produce: @Sendable (any BodyWriter) async throws -> Void, isChunked: Bool
  ) async throws(Ending) {
    streaming = .waiting
    defer { streaming = .over }
    do { try await produce(StreamWriter(self, isChunked: isChunked)) } catch {
      core.logger.warning("streamed body cut", ["reason": .string(String(describing: type(of: error)))])
      throw .gone
    }
    guard streaming == .waiting else { throw .gone }
    prepareOutput()
    if isChunked { ResponseEncoder.appendLastChunk(to: &output) }
    try await flush()
  }
}
