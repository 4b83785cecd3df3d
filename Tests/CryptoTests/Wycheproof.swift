import Crypto
import JSON
import TestVectors

extension Vectors {
  /// The test groups of a Wycheproof file.
  static func groups(_ name: String) throws -> [WycheproofGroup] {
    try (json("wycheproof/\(name).json").array("testGroups") ?? []).map(WycheproofGroup.init)
  }
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
