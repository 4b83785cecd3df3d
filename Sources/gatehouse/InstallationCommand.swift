import Flows
import Logging

/// A command on an installation: the server that holds the data directory carries it out, or this process does.
struct InstallationCommand: Sendable {
  private let work: @Sendable (Installation, Arguments) async throws -> CommandResult
  private let arguments: Arguments

  init(
    _ work: @escaping @Sendable (Installation, Arguments) async throws -> CommandResult, _ arguments: Arguments
  ) {
    self.work = work
    self.arguments = arguments
  }

  /// Makes an installation when there is none and it `mayCreate` one; creates nothing at all otherwise.
  func run(mayCreate: Bool) async throws -> CommandResult {
    let configuration = try Configuration.load(Process.environment)
    let directory = DataDirectory(configuration)
    if mayCreate { try directory.prepare() } else { try directory.checkInstallation() }
    let control = ControlSocket(configuration)
    guard try await directory.lock(unless: { try control.answers() }) else {
      guard let result = try control.ask(arguments.words) else { throw directory.isTaken }
      return result
    }
    let opened = try await OpenInstallation.open(configuration, mayCreate: mayCreate, log: Logger(level: .warning))
    let result = await CommandRunner(here: opened.here).run(work, arguments)
    try await opened.close()
    return result
  }
}
