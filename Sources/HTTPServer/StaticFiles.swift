import FileSystem
public import HTTP

/// The files of a directory, read once and served from memory.
///
/// Served are files with a known extension; names that begin with a dot, links and unknown kinds are not.
public struct StaticFiles: Sendable {
  /// The files that were not taken because of their extension; worth a warning at the start.
  public let skipped: [String]
  private let files: [String: StaticFile]
  /// From names with a fingerprint to names.
  private let originals: [String: String]

  /// Reads `directory` and what is below it; text files are compressed here, once.
  ///
  /// - Parameters:
  ///   - directory: A path, absolute or relative to the working directory.
  ///   - change: Replaces the content of a file by its name, or adds files.
  /// - Throws: ``ServerFailure/configuration(_:)`` when the directory or a file cannot be read.
  public init(
    directory: String, change: (inout [String: [UInt8]]) -> Void = { _ in }
  ) throws(ServerFailure) {
    var files: [String: StaticFile] = [:]
    var skipped: [String] = []
    var contents = Dictionary(uniqueKeysWithValues: try Self.read(directory))
    change(&contents)
    for (name, bytes) in contents.sorted(by: { $0.key < $1.key }) {
      if let file = StaticFile(name: name, bytes: bytes) { files[name] = file } else { skipped.append(name) }
    }
    self.files = files
    self.skipped = skipped
    originals = Dictionary(files.map { ($1.hashedName, $0) }) { first, _ in first }
  }

  private static func read(_ directory: String) throws(ServerFailure) -> [(name: String, bytes: [UInt8])] {
    do {
      return try Directory.files(in: directory)
    } catch { throw .configuration(error.description) }
  }

  /// The name under which a file may be cached for ever, `style.3f2a9c1d.css` for `style.css`; `nil` when unknown.
  public func hashedName(of name: String) -> String? { files[name]?.hashedName }

  /// The answers to requests for these files, made once.
  ///
  /// - Parameters:
  ///   - folder: What stands before the name of each file, beginning and ending with `/`.
  ///   - paths: Further paths, each with the name of the file it stands for.
  ///   - finish: What is done to every answer before it is kept.
  /// - Returns: The answers, by path.
  public func answers(
    in folder: String, and paths: [String: String] = [:], finish: (Response) -> Response = { $0 }
  ) -> StaticAnswers {
    var answers: [String: StaticAnswer] = [:]
    for (name, file) in files { answers[folder + name] = StaticAnswer(file, isHashed: false, finish: finish) }
    for (hashed, name) in originals {
      answers[folder + hashed] = files[name].flatMap { StaticAnswer($0, isHashed: true, finish: finish) }
    }
    let elsewhere = paths.compactMapValues { name in
      files[name].flatMap { StaticAnswer($0, isHashed: false, finish: finish) }
    }
    return StaticAnswers(in: folder, answers, elsewhere: elsewhere)
  }
}
