import Flows

/// The file with the key-encryption key.
struct KeyFile: Sendable {
  private let path: String

  init(_ configuration: Configuration) { path = configuration.kekFile }

  /// The key in the file; `nil` when there is no file.
  func read() throws -> KeyEncryptionKey? {
    guard Files.exists(path) else { return nil }
    do {
      return try KeyEncryptionKey(fileText: try Files.readSecret(path))
    } catch KeyFailure.unreadableFile {
      throw OpenInstallation.Failure(
        description:
          "\(path) is not a key file of Gatehouse. Put the right file there, or point GATEHOUSE_KEK_FILE at it.")
    }
  }

  /// Makes the first key.
  func create() throws -> KeyEncryptionKey {
    let key = KeyEncryptionKey.random()
    try Files.create(path, mode: 0o400, key.fileText)
    return key
  }

  var isMissing: OpenInstallation.Failure {
    OpenInstallation.Failure(
      description: "The key file \(path) is missing, and the database holds values sealed under it. Put the file back, "
        + "or point GATEHOUSE_KEK_FILE at it; without it they cannot be read.")
  }

  func isWrong(needed: [String], given: String) -> OpenInstallation.Failure {
    OpenInstallation.Failure(
      description: "\(path) holds the key \(given), but the database was sealed under "
        + "\(needed.joined(separator: ", ")). Put the right key file there, or point GATEHOUSE_KEK_FILE at it.")
  }
}
