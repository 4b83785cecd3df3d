import Crypto
import Glibc

/// The program: `gatehouse COMMAND`.
@main
struct Gatehouse {
  static func main() async {
    OpenSSLLifetime.lastUntilTheEnd()
    Process.holdStandardStreams()
    Process.cleanEnvironment()
    Process.forbidDumps()
    // Not among the commands: it is this program's own, for files that people upload.
    if Array(CommandLine.arguments.dropFirst()) == PKCS12Reader.words { exit(PKCS12Reader.serve()) }
    let result = await run(Array(CommandLine.arguments.dropFirst()))
    var exitCode = result.exitCode
    if !result.output.isEmpty, !Process.print(result.output) {
      Process.printError("gatehouse: cannot write the answer: \(Process.systemError)")
      exitCode = max(exitCode, 1)
    }
    if !result.errors.isEmpty { Process.printError("gatehouse: \(result.errors)") }
    exit(exitCode)
  }

  private static func run(_ words: [String]) async -> CommandResult {
    do {
      let (command, arguments) = try CommandTable.parse(words.isEmpty ? ["help"] : words)
      switch command.action {
      case .program(let work): return try await work(arguments)
      case .installation(let work): return try await InstallationCommand(work, arguments).run(mayCreate: false)
      case .newInstallation(let check, let work):
        try check(arguments)
        return try await InstallationCommand(work, arguments).run(mayCreate: true)
      }
    } catch {
      return .failure(for: error)
    }
  }
}
