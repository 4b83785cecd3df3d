import FoundationEssentials
import Testing

@testable import Pages

/// The public examples of github.com/mustache/spec, read from the folder named by `GATEHOUSE_VECTORS`.
@Suite("Mustache specification", .enabled(if: MustacheSpec.folder != nil, "GATEHOUSE_VECTORS is not set"))
struct MustacheSpecTests {
  @Test("renders every example of the supported parts", arguments: try MustacheSpec.supported())
  func supported(example: MustacheSpec.Example) throws {
    let template = try example.compiled()
    let text = String(decoding: try template.render(with: example.data.context, undefined: .empty), as: UTF8.self)
    #expect(text == example.expected)
  }

  @Test("refuses every example with an unescaped variable or changed delimiters", arguments: try MustacheSpec.refused())
  func refused(example: MustacheSpec.Example) {
    #expect(throws: TemplateError.self) { try example.compiled() }
  }

  @Test("finds the whole specification, so that none of it is left out by mistake")
  func complete() throws {
    let all = try MustacheSpec.all()
    #expect(all.count == 163)
    #expect(MustacheSpec.leftOut.isSubset(of: all.map(\.name)))
  }
}

/// The examples, sorted by what the renderer does with them.
enum MustacheSpec {
  struct Example: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let template: String
    let data: Value
    let expected: String
    let partials: [String: String]?

    var testDescription: String { name }

    func compiled() throws -> Template {
      let parts = (partials ?? [:]).mapValues { Array($0.utf8) }
      return try Template(Array(template.utf8), file: name, partials: parts)
    }

    var isRefused: Bool {
      let sources = [template] + (partials ?? [:]).values
      return sources.contains { source in
        source.contains("{{{") || source.contains("{{&") || source.contains("{{=") || source.contains("{{ &")
      }
    }
  }

  /// Names of examples that differ on purpose: an unknown partial and a partial inside itself are mistakes here, and
  /// parents and blocks on one line are not indented, which HTML does not need.
  static let leftOut: Set = [
    "Failed Lookup", "Recursion", "Standalone parent", "Standalone block", "Block reindentation",
    "Intrinsic indentation",
    "Nested block reindentation",
  ]

  static let folder = ProcessInfo.processInfo.environment["GATEHOUSE_VECTORS"].map { $0 + "/mustache/" }

  static func refused() throws -> [Example] { try all().filter { $0.isRefused && !leftOut.contains($0.name) } }

  static func supported() throws -> [Example] { try all().filter { !$0.isRefused && !leftOut.contains($0.name) } }

  static func all() throws -> [Example] {
    struct File: Decodable { let tests: [Example] }
    guard let folder else { return [] }
    let files = ["comments", "delimiters", "interpolation", "inverted", "partials", "sections", "~inheritance"]
    return try files.flatMap { file -> [Example] in
      let data = try Data(contentsOf: URL(filePath: folder + file + ".json"))
      return try JSONDecoder().decode(File.self, from: data).tests
    }
  }

  enum Value: Decodable, Sendable {
    case context(PageContext)

    var context: PageContext {
      switch self {
      case .context(let context): context
      }
    }

    init(from decoder: any Decoder) throws {
      let box = try decoder.singleValueContainer()
      if box.decodeNil() {
        self = .context(.none)
      } else if let flag = try? box.decode(Bool.self) {
        self = .context(.flag(flag))
      } else if let number = try? box.decode(Int.self) {
        self = .context(.text("\(number)"))
      } else if let number = try? box.decode(Double.self) {
        self = .context(.text("\(number)"))
      } else if let text = try? box.decode(String.self) {
        self = .context(.text(text))
      } else if let items = try? box.decode([Value].self) {
        self = .context(.list(items.map(\.context)))
      } else {
        let members = try box.decode([String: Value].self)
        self = .context(.object(PageContext.Object(members.mapValues(\.context))))
      }
    }
  }
}
