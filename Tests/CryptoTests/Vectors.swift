import Crypto
import Glibc
import JSON

/// Public test vectors, read from the folder that `GATEHOUSE_VECTORS` names.
enum Vectors {
  static let folder: String? = unsafe getenv("GATEHOUSE_VECTORS").map { unsafe String(cString: $0) }

  /// Reads and parses a file below the folder.
  static func json(_ path: String) throws -> JSONValue {
    guard let file = unsafe fopen("\(folder ?? "")/\(path)", "r") else { throw MissingFile(path: path) }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4 << 20)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return try JSONValue(parsing: Array(bytes.prefix(count)), limits: JSONLimits(size: 4 << 20))
  }

  /// The test groups of a Wycheproof file.
  static func groups(_ name: String) throws -> [WycheproofGroup] {
    try (json("wycheproof/\(name).json").array("testGroups") ?? []).map(WycheproofGroup.init)
  }

  struct MissingFile: Error { let path: String }
}

/// One group of Wycheproof cases that share a key or a size.
struct WycheproofGroup {
  let group: JSONValue

  var cases: [WycheproofCase] { (group.array("tests") ?? []).map(WycheproofCase.init) }
}

/// One Wycheproof case.
struct WycheproofCase: CustomStringConvertible {
  let test: JSONValue

  var description: String { "case \(test.integer("tcId") ?? 0): \(test.string("comment") ?? "")" }
  var isValid: Bool { test.string("result") == "valid" }
  var isInvalid: Bool { test.string("result") == "invalid" }

  func bytes(_ name: String) throws -> [UInt8] {
    guard let bytes = Hex.decode(test.string(name) ?? "-") else { throw Vectors.MissingFile(path: name) }
    return bytes
  }
}

/// Bytes from hexadecimal, for vectors typed into tests.
func hex(_ text: String) -> [UInt8] { Hex.decode(text) ?? [] }
