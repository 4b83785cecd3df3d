import Glibc
import JSON
import Testing

/// The public JSONTestSuite (github.com/nst/JSONTestSuite), read from the folder `GATEHOUSE_VECTORS` names.
enum TestSuite {
  static let folder: String? = unsafe getenv("GATEHOUSE_VECTORS").map { unsafe String(cString: $0) + "/json" }

  /// Names of the files that start with `prefix`, without the two kinds whose outcome we decide otherwise.
  static func names(_ prefix: String) -> [String] {
    guard let folder, let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name.hasPrefix(prefix), name.hasSuffix(".json") { names.append(name) }
    }
    return names.sorted()
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    guard let file = unsafe fopen("\(folder ?? "")/\(name)", "r") else { throw MissingFile(name: name) }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }

  struct MissingFile: Error { let name: String }
}

@Suite("JSONTestSuite", .enabled(if: TestSuite.folder != nil, "GATEHOUSE_VECTORS is not set"))
struct SuiteTests {
  @Test("the suite is there") func present() {
    #expect(TestSuite.names("y_").count == 95)
    #expect(TestSuite.names("n_").count == 188)
  }

  @Test("reads what must be read, except repeated names", arguments: TestSuite.names("y_"))
  func mustParse(name: String) throws {
    let bytes = try TestSuite.bytes(name)
    if name.hasPrefix("y_object_duplicated_key") {
      #expect(throws: JSONFailure.self) { try JSONValue(parsing: bytes) }
    } else {
      let value = try JSONValue(parsing: bytes)
      #expect(try JSONValue(parsing: value.encoded()) == value)
      #expect(try JSONValue(parsing: value.encoded(layout: .pretty)) == value)
    }
  }

  @Test("refuses what must be refused", arguments: TestSuite.names("n_"))
  func mustNotParse(name: String) throws {
    let bytes = try TestSuite.bytes(name)
    #expect(throws: JSONFailure.self) { try JSONValue(parsing: bytes) }
  }

  @Test("never stops the process over what is left open", arguments: TestSuite.names("i_"))
  func mayParse(name: String) throws {
    let bytes = try TestSuite.bytes(name)
    if let value = try? JSONValue(parsing: bytes) {
      #expect(try JSONValue(parsing: value.encoded()) == value)
    }
  }
}
