import HTTP
import JSON
import Testing

extension Response {
  var bytes: [UInt8] {
    get throws {
      switch body {
      case .empty: []
      case .bytes(let bytes): bytes
      case .stream: try #require(nil, "the body is streamed")
      }
    }
  }

  var text: String { get throws { String(decoding: try bytes, as: UTF8.self) } }

  var json: JSONValue { get throws { try JSONValue(parsing: try bytes) } }

  /// The query of the location.
  var query: Form? {
    get throws {
      guard let location = headers["location"], let mark = location.firstIndex(of: "?") else { return nil }
      return try Form(query: location[location.index(after: mark)...])
    }
  }

  /// What a streamed body sends before it ends, and whether it was cut.
  func stream() async throws -> (sent: [UInt8], isCut: Bool) {
    guard case .stream(_, let produce) = body else { return (try bytes, false) }
    let recorder = Recorder()
    do {
      try await produce(recorder)
      return (await recorder.bytes, false)
    } catch {
      return (await recorder.bytes, true)
    }
  }
}

private actor Recorder: BodyWriter {
  private(set) var bytes: [UInt8] = []

  func write(_ bytes: [UInt8]) { self.bytes += bytes }
}

extension String {
  /// The value of the attribute `name` that stands first behind `mark`; without escapes.
  func attribute(_ name: String, after mark: String) -> String? {
    guard let start = ranges(of: mark).first?.upperBound else { return nil }
    let rest = self[start...]
    guard let value = rest.ranges(of: name + "=\"").first?.upperBound else { return nil }
    return String(rest[value...].prefix { $0 != "\"" })
  }
}

/// The three members by which clients tell token errors apart.
struct TokenError: Equatable, Sendable {
  let code: Int64
  let error: String
  let description: String

  init(_ code: Int64, _ error: String, _ description: String) {
    self.code = code
    self.error = error
    self.description = description
  }

  /// The error in an answer of `/oauth2/*`, which must have every member of the documented shape.
  init(_ json: JSONValue) throws {
    let error = try #require(json["error"])
    let names = try #require(error.object).map(\.name)
    #expect(names == ["code", "error", "error_description", "message", "details"])
    #expect(error.string("message") == error.string("error_description"))
    #expect(error.array("details") == [])
    code = try #require(error.integer("code"))
    self.error = try #require(error.string("error"))
    description = try #require(error.string("error_description"))
  }
}
