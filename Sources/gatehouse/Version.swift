/// Which Gatehouse this is.
enum Version {
  static let number = "0.1.0-dev"
  static let word = "--version"

  static let command = Command(
    name: "version", summary: "Print the version.",
    action: .program { _ in CommandResult(output: "gatehouse \(number)") })
}
