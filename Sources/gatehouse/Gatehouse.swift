import Domain
import Flows
import Glibc
import Logging

/// The program: `gatehouse <command>`.
@main
struct Gatehouse {
  static func main() async {
    Process.cleanEnvironment()
    Process.forbidDumps()
    let result: CommandResult
    do {
      result = try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      result = .failure("\(error)")
    }
    if !result.output.isEmpty { Process.print(result.output) }
    if !result.errors.isEmpty { Process.printError("gatehouse: \(result.errors)") }
    exit(result.exitCode)
  }

  private static func run(_ words: [String]) async throws -> CommandResult {
    switch words.first {
    case nil, "help", "--help", "-h": return CommandResult(output: CommandRunner.usage)
    case "config": return CommandResult(output: Configuration.table)
    default: break
    }
    let configuration = try Configuration.load(Process.environment)
    try Files.makeDirectory(configuration.dataDirectory)
    if words.first == "serve" {
      try await serve(Array(words.dropFirst()), configuration)
      return CommandResult(output: "")
    }
    return try await command(words, configuration)
  }

  private static func serve(_ words: [String], _ configuration: Configuration) async throws {
    var arguments = Arguments(words)
    let mayInitialise = arguments.flag("--init")
    try arguments.finish()
    guard try Files.lock("\(configuration.dataDirectory)/lock") else {
      throw Configuration.Failure(
        description:
          "Another Gatehouse uses \(configuration.dataDirectory). Stop it, or set GATEHOUSE_DATA to another directory.")
    }
    let log = Logger(level: configuration.logLevel)
    try await Serve(configuration: configuration, log: log, mayInitialise: mayInitialise).run()
  }

  /// Runs a command in the server that holds the data directory, or here when none does.
  private static func command(_ words: [String], _ configuration: Configuration) async throws -> CommandResult {
    let words = try withWholePaths(words)
    guard try Files.lock("\(configuration.dataDirectory)/lock") else {
      guard let result = try ControlSocket(configuration).ask(words) else {
        throw Configuration.Failure(
          description:
            "Another Gatehouse uses \(configuration.dataDirectory) and does not answer; try again in a moment.")
      }
      return result
    }
    let opened = try await OpenInstallation.open(configuration, log: Logger(level: .warning))
    let result = await CommandRunner(here: opened.here).run(words)
    try await opened.close()
    return result
  }

  /// File names as the server sees them, which may run in another directory.
  private static func withWholePaths(_ words: [String]) throws -> [String] {
    guard let directory = unsafe getcwd(nil, 0) else { throw Files.Failure("find", "the working directory") }
    defer { unsafe free(directory) }
    let here = unsafe String(cString: directory)
    return words.enumerated().map { index, word in
      let isFile = index > 0 && words[index - 1].hasSuffix("-file") && words[index - 1].hasPrefix("--")
      return isFile && !word.hasPrefix("/") ? "\(here)/\(word)" : word
    }
  }
}
