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

  private static let day: FieldValue = "public, max-age=86400"
  private static let forEver: FieldValue = "public, max-age=31536000, immutable"

  /// Reads `directory` and what is below it; text files are compressed here, once.
  ///
  /// - Throws: ``ServerFailure/configuration(_:)`` when the directory or a file cannot be read.
  public init(directory: String) throws(ServerFailure) {
    var files: [String: StaticFile] = [:]
    var skipped: [String] = []
    for (name, bytes) in try Self.read(directory) {
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

  /// The answer to a GET or HEAD `request` for the file called `name`, hashed or not; `nil` when there is none.
  ///
  /// Conditional requests (RFC 9110 §13.1.2) and `Accept-Encoding: gzip` are honoured.
  public func response(for request: Request, name: String) -> Response? {
    guard let file = files[originals[name] ?? name] else { return nil }
    let isCompressed = file.compressed != nil && request.headers.acceptsGzip
    guard let chosen = isCompressed ? file.compressed : file.plain,
      let entityTag = FieldValue(chosen.entityTag.text)
    else { return nil }
    var response = Response(status: .ok)
    response.headers.add("etag", entityTag)
    response.headers.add("cache-control", originals[name] == nil ? Self.day : Self.forEver)
    if file.compressed != nil { response.headers.add("vary", "accept-encoding") }
    if chosen.entityTag.matches(request.headers) {
      response.status = .notModified
      return response
    }
    response.headers.add("content-type", file.type)
    response.headers.add("x-content-type-options", "nosniff")
    if isCompressed { response.headers.add("content-encoding", "gzip") }
    response.body = .bytes(chosen.bytes)
    return response
  }
}
