/// The directory that belongs to one installation, and to one process at a time.
struct DataDirectory: Sendable {
  private let configuration: Configuration

  init(_ configuration: Configuration) { self.configuration = configuration }

  private var path: String { configuration.dataDirectory }

  /// Whether a database has been made.
  var holdsInstallation: Bool { get throws { try configuration.database.holdsInstallation } }

  /// Refuses to go on where no installation is, so that a mistyped setting makes no second, empty one.
  func checkInstallation() throws {
    guard Files.exists(path) else { throw isNone("directory", path) }
    try Files.checkPrivate(path)
    guard try !holdsInstallation else { return }
    guard let file = configuration.database.path else {
      throw Configuration.Failure(
        description: "There is no installation in \(configuration.database). Check GATEHOUSE_DATABASE, or make a new "
          + "installation with 'gatehouse serve' or 'gatehouse setup'.")
    }
    throw isNone("database", file)
  }

  private func isNone(_ kind: String, _ missing: String) -> Configuration.Failure {
    Configuration.Failure(
      description:
        "There is no installation here: no \(kind) \(Files.wholePath(missing)). Set GATEHOUSE_DATA to the data "
        + "directory that is in use, or make a new installation with 'gatehouse serve' or 'gatehouse setup'.")
  }

  /// Makes the directory, after checking that everything else that a first start makes can be made as well.
  func prepare() throws {
    if !Files.exists(configuration.kekFile) {
      try Files.checkWritable(Files.directory(of: configuration.kekFile))
    } else {
      _ = try KeyFile(configuration).read()
    }
    if let file = configuration.database.path {
      let home = Files.directory(of: file)
      if Files.exists(home) { try Files.checkWritable(home) }
    }
    guard !Files.exists(path) else { return try Files.makeDirectory(path) }
    do { try Files.makeDirectory(path) } catch {
      throw Configuration.Failure(
        description: "The data directory of GATEHOUSE_DATA is not there and \(error). Make it (mode 0700) for the user "
          + "that runs Gatehouse, or set GATEHOUSE_DATA to a directory below one that this user can write to.")
    }
  }

  /// Takes the lock, waiting a moment for a command that is at work.
  ///
  /// - Returns: `false` at once when a server answers, which keeps the directory for as long as it runs.
  func lock(unless serverAnswers: () throws -> Bool) async throws -> Bool {
    for _ in 0..<50 {
      if try Files.lock("\(path)/lock") { return true }
      if try serverAnswers() { return false }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw isTaken
  }

  var isTaken: Configuration.Failure {
    Configuration.Failure(
      description: "Another Gatehouse uses \(path). Stop it, or set GATEHOUSE_DATA to another directory.")
  }
}
