import Flows

/// One command of the program: what may be written, what it means, and what it does.
struct Command: Sendable {
  enum Action: Sendable {
    /// Runs in this process and needs no installation.
    case program(@Sendable (Arguments) async throws -> CommandResult)
    /// Works on an installation: in the server that runs, or in this process when none does.
    case installation(@Sendable (Installation, Arguments) async throws -> CommandResult)
    /// The same, and makes the installation when there is none yet, after `check` has found no fault in the arguments.
    case newInstallation(
      check: @Sendable (Arguments) throws -> Void,
      @Sendable (Installation, Arguments) async throws -> CommandResult)
  }

  /// One or two words: `client create`.
  let name: String
  /// One sentence.
  let summary: String
  var operand: Operand?
  var options: [Option] = []
  let action: Action

  var words: [String] { name.split(separator: " ").map(String.init) }
}

/// What a command prints and how it ends.
struct CommandResult: Sendable {
  var output: String
  var errors = ""
  var exitCode: Int32 = 0

  static func failure(_ text: String, exitCode: Int32 = 1) -> CommandResult {
    CommandResult(output: "", errors: text, exitCode: exitCode)
  }
}

/// A command line that was not understood, in a sentence that says what would be.
struct UsageFailure: Error, CustomStringConvertible {
  /// What `sysexits.h` calls a wrong command line.
  static let exitCode: Int32 = 64

  let description: String

  init(_ description: String) { self.description = description }
}
