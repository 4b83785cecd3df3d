import SQL
import Testing

@testable import SQLite

@Suite("The file")
struct FileTests {
  @Test("A new file and its companions are private, in a new private directory")
  func modes() async throws {
    let folder = try Folder()
    let database = try SQLiteDatabase.open(path: folder.database)
    try await database.write { try $0.run("CREATE TABLE t (n bigint)") }
    #expect(try folder.names() == ["gatehouse.db", "gatehouse.db-shm", "gatehouse.db-wal"])
    for name in try folder.names() { #expect(try folder.mode(name) == 0o600) }
    #expect(try folder.mode(".") == 0o700)
    let settings = try await database.write { session in
      [
        try session.first("PRAGMA synchronous")?.integer("synchronous"),
        try session.first("PRAGMA secure_delete")?.integer("secure_delete"),
        try session.first("PRAGMA foreign_keys")?.integer("foreign_keys"),
        try session.first("PRAGMA temp_store")?.integer("temp_store"),
      ]
    }
    #expect(settings == [2, 1, 1, 2])
    try await database.close()
  }

  @Test("Refuses a directory or file that others may read", arguments: [".", "gatehouse.db"])
  func openToOthers(name: String) async throws {
    let folder = try Folder()
    try await SQLiteDatabase.open(path: folder.database).close()
    try folder.setMode(name == "." ? 0o750 : 0o640, of: name)
    let error = #expect(throws: DatabaseError.self) { try SQLiteDatabase.open(path: folder.database) }
    guard case .failed("file", let message) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(message.contains("chmod"))
  }

  @Test("Refuses a symbolic link")
  func symbolicLink() async throws {
    let folder = try Folder()
    try await SQLiteDatabase.open(path: folder.database).close()
    try folder.link("other.db", to: folder.database)
    #expect(throws: DatabaseError.self) { try SQLiteDatabase.open(path: folder.path + "/other.db") }
  }

  @Test("Refuses the database of another program, and leaves it as it was")
  func foreignDatabase() async throws {
    let folder = try Folder()
    var options = SQLiteDatabase.Options()
    options.applicationID = 42
    let other = try SQLiteDatabase.open(path: folder.database, options: options)
    try await other.write { try $0.run("CREATE TABLE t (n bigint)") }
    try await other.close()
    let before = try folder.databaseBytes()
    let error = #expect(throws: DatabaseError.self) { try SQLiteDatabase.open(path: folder.database) }
    guard case .failed("application_id", _) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(try folder.databaseBytes() == before)
  }

  @Test("Refuses a file that is no database")
  func noDatabase() throws {
    let folder = try Folder()
    try folder.write(Array(repeating: 0x41, count: 5000), to: "gatehouse.db")
    let error = #expect(throws: DatabaseError.self) { try SQLiteDatabase.open(path: folder.database) }
    guard case .failed("26", let message) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(message.hasPrefix(folder.database))
  }

  @Test("What was answered is in the files, even if the program dies at once")
  func crash() async throws {
    let (folder, copy) = (try Folder(), try Folder())
    let database = try SQLiteDatabase.open(path: folder.database)
    try await database.write { try $0.run("CREATE TABLE t (n bigint)") }
    for number in 0..<10 { try await database.write { try $0.run("INSERT INTO t VALUES (\(number))") } }
    for name in ["gatehouse.db", "gatehouse.db-wal"] { try copy.write(try folder.bytes(name), to: name) }
    let restarted = try SQLiteDatabase.open(path: copy.database)
    #expect(try await restarted.rowCount() == 10)
    try await restarted.close()
    try await database.close()
  }

  @Test("Nothing deleted or overwritten remains in any file after a shred checkpoint")
  func secureDelete() async throws {
    let folder = try Folder()
    let database = try SQLiteDatabase.open(path: folder.database)
    let secret = "wrapped-key-0123456789-abcdefghijklmnop"
    try await database.write { session in
      try session.run("CREATE TABLE t (n bigint, secret text)")
      for number in 0..<200 { try session.run("INSERT INTO t VALUES (\(number), \(secret))") }
    }
    try await database.write { try $0.run("UPDATE t SET n = n + 1") }
    #expect(try folder.databaseBytes().firstRange(of: Array(secret.utf8)) != nil)
    try await database.write { session in
      try session.run("UPDATE t SET secret = 'gone' WHERE n < 100")
      try session.run("DELETE FROM t WHERE n >= 100")
    }
    try await database.shredCheckpoint()
    #expect(try folder.databaseBytes().firstRange(of: Array(secret.utf8)) == nil)
    #expect(try folder.bytes("gatehouse.db-wal").isEmpty)
    try await database.close()
  }

  @Test("A backup holds what was committed, is private, and never replaces a file")
  func backup() async throws {
    let folder = try Folder()
    let database = try SQLiteDatabase.open(path: folder.database)
    try await database.write { session in
      try session.run("CREATE TABLE t (n bigint)")
      try session.run("INSERT INTO t VALUES (7)")
    }
    let path = folder.path + "/backup.db"
    try await database.backup(to: path)
    await #expect(throws: DatabaseError.self) { try await database.backup(to: path) }
    #expect(try folder.mode("backup.db") == 0o600)
    let restored = try SQLiteDatabase.open(path: path)
    #expect(try await restored.rowCount() == 1)
    #expect(try await restored.integrityCheck() == [])
    try await restored.close()
    try await database.close()
  }

  @Test("After corruption every write is refused with the same error until the file is reopened")
  func corruption() async throws {
    let folder = try Folder()
    let database = try SQLiteDatabase.open(path: folder.database)
    try await database.write { session in
      try session.run("CREATE TABLE t (n bigint, data blob)")
      for number in 0..<100 { try session.run("INSERT INTO t VALUES (\(number), zeroblob(1000))") }
    }
    try await database.close()
    var bytes = try folder.bytes("gatehouse.db")
    for index in 4096..<bytes.count { bytes[index] = 0xff }
    try folder.write(bytes, to: "gatehouse.db")

    let damaged = try SQLiteDatabase.open(path: folder.database)
    #expect(damaged.health == .sound)
    await #expect(throws: DatabaseError.self) { try await damaged.read { try $0.rows("SELECT n, data FROM t") } }
    guard case .failed(let reason) = damaged.health else {
      Issue.record("the damage went unnoticed")
      return
    }
    await #expect(throws: reason) { try await damaged.write { try $0.run("CREATE TABLE u (n bigint)") } }
    #expect(try await damaged.integrityCheck().isEmpty == false)
  }

  @Test("The integrity check names rows whose parent is missing")
  func orphans() async throws {
    let folder = try Folder()
    let database = try SQLiteDatabase.open(path: folder.database)
    try await database.write { session in
      try session.run("CREATE TABLE parent (id bigint NOT NULL PRIMARY KEY)")
      try session.run("CREATE TABLE child (id bigint REFERENCES parent (id))")
    }
    #expect(try await database.integrityCheck() == [])
    let careless = try SQLiteHandle(path: folder.database, readOnly: false, mark: FailureMark(), options: .init())
    try careless.run("PRAGMA foreign_keys = OFF")
    try careless.run("INSERT INTO child VALUES (5)")
    #expect(try await database.integrityCheck() == ["row 1 of child refers to a missing row of parent"])
    try await database.close()
  }
}
