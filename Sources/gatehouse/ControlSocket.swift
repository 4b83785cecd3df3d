import Domain
import Dispatch
import Glibc
import JSON

/// The socket through which the command line talks to a running server (one question, one answer, JSON).
///
/// Question: `{"arguments": [text…]}`. Answer: `{"output": text, "errors": text, "exit_code": number}`.
struct ControlSocket: Sendable {
  let path: String

  init(_ configuration: Configuration) { path = "\(configuration.dataDirectory)/gatehouse.sock" }

  /// Refuses a path that is too long for a socket.
  func checkPath() throws { try UnixSocket.checkPath(path) }

  /// Whether a server runs that carries out commands.
  func answers() throws -> Bool {
    guard let server = try UnixSocket.connect(to: path) else { return false }
    close(server)
    return true
  }

  /// Makes the socket; who calls from now on waits until ``serve(_:on:)`` answers.
  func listen() throws -> Int32 { try UnixSocket.listen(at: path) }

  /// Answers commands until the task is cancelled.
  func serve(_ runner: CommandRunner, on listener: Int32) async {
    let callers = AsyncStream<Int32> { continuation in
      DispatchQueue(label: "gatehouse.control").async {
        while let caller = UnixSocket.accept(listener) { continuation.yield(caller) }
        continuation.finish()
      }
      continuation.onTermination = { _ in
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
      }
    }
    for await caller in callers { await answer(caller, runner) }
    UnixSocket.remove(path)
  }

  private func answer(_ caller: Int32, _ runner: CommandRunner) async {
    defer { close(caller) }
    guard let bytes = UnixSocket.readAll(caller), let words = Self.words(in: bytes) else { return }
    let result = await runner.run(words)
    UnixSocket.send(
      JSONWriter.object { json in
        json.member("output", result.output)
        json.member("errors", result.errors)
        json.member("exit_code", Int64(result.exitCode))
      }, to: caller)
  }

  private static func words(in bytes: [UInt8]) -> [String]? {
    do { return try JSONValue(parsing: bytes).strings("arguments") } catch { return nil }
  }

  /// Lets the running server carry out a command; `nil` when none runs.
  func ask(_ words: [String]) throws -> CommandResult? {
    guard let server = try UnixSocket.connect(to: path) else { return nil }
    defer { close(server) }
    UnixSocket.send(JSONWriter.object { $0.member("arguments", words) }, to: server)
    guard let bytes = UnixSocket.readAll(server), !bytes.isEmpty else {
      throw Files.Failure("The running server ended before it answered. Its log says why.")
    }
    let answer = try JSONValue(parsing: bytes)
    return CommandResult(
      output: answer.string("output") ?? "", errors: answer.string("errors") ?? "",
      exitCode: Int32(truncatingIfNeeded: answer.integer("exit_code") ?? 1))
  }
}
