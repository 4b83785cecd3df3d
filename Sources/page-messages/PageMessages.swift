import Pages

/// Prints what catalogues of languages are to translate of the pages for people, one JSON string in each line.
///
/// `scripts/languages` brings the catalogues up to date with it.
@main
struct PageMessages {
  static func main() throws {
    for message in try PageLibrary.messages(directory: CommandLine.arguments.dropFirst().first ?? "Public/pages") {
      print(message.debugDescription)
    }
  }
}
