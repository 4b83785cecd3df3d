public import HTTP

/// The answers to requests for files, by path; every one is made once.
public struct StaticAnswers: Sendable {
  private let folder: String
  private let answers: [String: StaticAnswer]
  /// Those at paths outside the folder; few.
  private var elsewhere: [(path: String, answer: StaticAnswer)]

  /// Keeps `answers`, whose paths all begin with `folder`, and those `elsewhere`.
  init(in folder: String, _ answers: [String: StaticAnswer], elsewhere: [String: StaticAnswer]) {
    self.folder = folder
    self.answers = answers
    self.elsewhere = elsewhere.map { ($0.key, $0.value) }
  }

  /// Adds one that is always the same, at a path outside the folder.
  public mutating func add(_ response: Response, at path: String) {
    elsewhere.append((path, StaticAnswer(response)))
  }

  /// The answer to a GET or HEAD `request` for one of the files; `nil` for any other request.
  ///
  /// Conditional requests (RFC 9110 §13.1.2) and `Accept-Encoding: gzip` are honoured.
  public func response(for request: Request) -> Response? {
    guard let answer = answer(at: request.path), request.method == .get || request.method == .head else { return nil }
    return answer.response(for: request.headers)
  }

  /// Every request comes by here, and most are for no file: so their paths are not hashed.
  private func answer(at path: String) -> StaticAnswer? {
    if path.hasPrefix(folder) { return answers[path] }
    let length = path.utf8.count
    return elsewhere.first { $0.path.utf8.count == length && $0.path == path }?.answer
  }
}

/// The answers to requests for one file.
final class StaticAnswer: Sendable {
  private let plain: Choice
  private let compressed: Choice?

  private final class Choice: Sendable {
    let whole: Response
    /// For a client that has the version of this tag.
    let notModified: (entityTag: EntityTag, response: Response)?

    init(whole: Response, notModified: (EntityTag, Response)?) {
      self.whole = whole
      self.notModified = notModified
    }
  }

  /// The one answer that is always given.
  init(_ response: Response) {
    var whole = response
    whole.headers = response.headers.encodedOnce()
    plain = Choice(whole: whole, notModified: nil)
    compressed = nil
  }

  private static let day: FieldValue = "public, max-age=86400"
  private static let forEver: FieldValue = "public, max-age=31536000, immutable"

  /// With `isHashed` the path tells the file's versions apart, so that the answer holds for ever.
  init?(_ file: StaticFile, isHashed: Bool, finish: (Response) -> Response) {
    func choice(_ representation: StaticFile.Representation, isCompressed: Bool) -> Choice? {
      guard let entityTag = FieldValue(representation.entityTag.text) else { return nil }
      var notModified = Response(
        status: .notModified, headers: ["etag": entityTag, "cache-control": isHashed ? Self.forEver : Self.day])
      if file.compressed != nil { notModified.headers.add("vary", "accept-encoding") }
      var whole = Response(status: .ok, headers: notModified.headers, body: .bytes(representation.bytes))
      whole.headers.add("content-type", file.type)
      whole.headers.add("x-content-type-options", "nosniff")
      if isCompressed { whole.headers.add("content-encoding", "gzip") }
      (whole, notModified) = (finish(whole), finish(notModified))
      whole.headers = whole.headers.encodedOnce()
      notModified.headers = notModified.headers.encodedOnce()
      return Choice(whole: whole, notModified: (representation.entityTag, notModified))
    }
    guard let plain = choice(file.plain, isCompressed: false) else { return nil }
    self.plain = plain
    compressed = file.compressed.flatMap { choice($0, isCompressed: true) }
  }

  func response(for headers: Headers) -> Response {
    let chosen = if let compressed, headers.acceptsGzip { compressed } else { plain }
    if let (entityTag, response) = chosen.notModified, entityTag.matches(headers) { return response }
    return chosen.whole
  }
}
