internal import Glibc
public import JSON

/// Public test vectors, read from the folder that `GATEHOUSE_VECTORS` names.
public enum Vectors {
  public static let folder: String? = unsafe getenv("GATEHOUSE_VECTORS").map { unsafe String(cString: $0) }

  /// Reads and parses a file below the folder.
  public static func json(_ path: String) throws -> JSONValue {
    guard let file = unsafe fopen("\(folder ?? "")/\(path)", "r") else { throw MissingFile(path: path) }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4 << 20)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return try JSONValue(parsing: Array(bytes.prefix(count)), limits: JSONLimits(size: 4 << 20))
  }

  public struct MissingFile: Error {
    let path: String

    public init(path: String) { self.path = path }
  }
}
