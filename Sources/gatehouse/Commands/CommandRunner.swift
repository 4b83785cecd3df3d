import Domain
import Flows
import SQL

/// Runs the commands that work on an installation, in this process or for callers of a running server.
struct CommandRunner: Sendable {
  let here: Installation

  /// Reads and runs one command line that came through the socket.
  func run(_ words: [String]) async -> CommandResult {
    do {
      let (command, arguments) = try CommandTable.parse(words)
      switch command.action {
      case .installation(let work), .newInstallation(_, let work): return await run(work, arguments)
      case .program: return .failure("A running server does not carry out '\(command.name)'.")
      }
    } catch {
      return .failure("\(error)", exitCode: UsageFailure.exitCode)
    }
  }

  /// Never throws: what goes wrong becomes the error text.
  func run(
    _ work: @Sendable (Installation, Arguments) async throws -> CommandResult, _ arguments: Arguments
  ) async -> CommandResult {
    do { return try await work(here, arguments) } catch { return .failure(for: error) }
  }
}

extension CommandResult {
  /// What is printed about an error, in words for an administrator.
  static func failure(for error: any Error) -> CommandResult {
    switch error {
    case let usage as UsageFailure: .failure(usage.description, exitCode: UsageFailure.exitCode)
    case let refusal as Refusal: .failure(refusal.description)
    case let failure as DatabaseError: .failure(failure.sentence)
    default: .failure("\(error)")
    }
  }
}

extension DatabaseError {
  /// What is wrong, and what to do about it where that is known, for an administrator.
  var sentence: String {
    switch self {
    case .full: "The disk of the database is full, so nothing was changed. Make room and try again."
    case .busy: "The database is in use by another program. Try again in a moment."
    case .failed(let code, let message) where isInputOutput(code):
      "The database cannot be read or written (\(message)): its disk is full, read-only or failing."
    case .failed(_, let message): message
    case .away(let message): "The database cannot be used: \(message)"
    case .duplicate, .column: "The database answered otherwise than expected: \(self)"
    }
  }
}

/// Whether `code` is one of SQLite's SQLITE_IOERR family, which a full disk causes as well.
///
/// A SQLSTATE has five characters, which none of them reaches.
private func isInputOutput(_ code: String) -> Bool { code.utf8.count < 5 && Int(code).map { $0 & 0xff == 10 } ?? false }
