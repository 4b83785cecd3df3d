import Glibc
public import PostgreSQL
import SQL
import Synchronization

/// The PostgreSQL cluster that tests run on: the one that `GATEHOUSE_TEST_POSTGRESQL` leads to, or else one of their
/// own, which ends with this process.
public enum TestCluster {
  /// Whether suites that run on one kind of database at a time shall take this one (`GATEHOUSE_TEST_DATABASE`).
  public static let isChosen = variable("GATEHOUSE_TEST_DATABASE") == "postgresql"

  /// Where it is; `nil` where PostgreSQL is not installed.
  public static let location: String? = given ?? start()

  /// The connection string of an empty schema that nobody else uses, which is as apart as a database and made sooner.
  public static func makeSchema() async throws -> String {
    guard let location else { throw DatabaseError.away("PostgreSQL is not installed") }
    let name = "test\(getpid())_\(count.add(1, ordering: .relaxed).newValue)"
    try await administrator.get().write { try $0.run(Statement(stringLiteral: "CREATE SCHEMA \(name)")) }
    return "\(location) options=-csearch_path=\(name)"
  }

  private static let administrator = Result {
    try PostgreSQLDatabase.open(ConnectionString(location ?? ""), options: .few)
  }

  private static let count = Atomic<Int>(0)

  private static let given = variable("GATEHOUSE_TEST_POSTGRESQL")

  private static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

  private static func start() -> String? {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    guard let output = unsafe popen("'\(root)/scripts/lib/postgresql' \(getpid())", "r") else { return nil }
    var line = [CChar](repeating: 0, count: 1024)
    let hasRead = unsafe fgets(&line, Int32(line.count), output) != nil
    guard unsafe pclose(output) == 0, hasRead else { return nil }
    return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension PostgreSQLDatabase.Options {
  /// Few connections, since a test suite has many databases open at once, and patience with a busy machine.
  public static var few: PostgreSQLDatabase.Options {
    var options = PostgreSQLDatabase.Options()
    options.readers = 2
    (options.statementTimeout, options.lockTimeout, options.idleTimeout) = (60_000, 60_000, 60_000)
    return options
  }
}
