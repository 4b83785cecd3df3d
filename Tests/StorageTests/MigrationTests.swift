import Domain
import SQL
import Testing

@testable import Storage

@Suite("Migrations")
struct MigrationTests {
  @Test("make a fresh database usable", arguments: TestDatabase.available)
  func fresh(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertCredential()
    #expect(try await store.read { try $0.accounts().count } == 2)
  }

  @Test("run once, however often the program starts", arguments: TestDatabase.available)
  func repeated(_ kind: TestDatabase) async throws {
    let (store, database) = try await kind.open()
    try await store.insertBasics()
    try await store.migrate()
    try await Store(database).migrate()
    #expect(try await store.read { try $0.accounts().count } == 2)
    #expect(try await rows(of: database) == [[1, 1]])
  }

  @Test("a database that a newer program has left is refused and not changed", arguments: TestDatabase.available)
  func newer(_ kind: TestDatabase) async throws {
    let database = try await kind.make()
    try await database.write {
      try $0.run("CREATE TABLE migration (number bigint NOT NULL PRIMARY KEY, oldest_compatible bigint NOT NULL)")
      try $0.run("INSERT INTO migration (number, oldest_compatible) VALUES (99, 98)")
    }
    await #expect(throws: SchemaFailure.newerThanProgram(schema: 98, program: Migration.newest)) {
      try await Store(database).migrate()
    }
    #expect(try await rows(of: database) == [[99, 98]])
    await #expect(throws: DatabaseError.self) {
      _ = try await database.read { try $0.rows("SELECT id FROM account ORDER BY id") }
    }
  }

  @Test("a newer schema that this program may still use is left as it is", arguments: TestDatabase.available)
  func compatible(_ kind: TestDatabase) async throws {
    let (store, database) = try await kind.open()
    try await database.write {
      try $0.run("INSERT INTO migration (number, oldest_compatible) VALUES (99, \(Migration.newest))")
    }
    try await store.migrate()
    #expect(try await rows(of: database) == [[1, 1], [99, Migration.newest]])
  }

  @Test("a step that fails leaves nothing of itself", arguments: TestDatabase.available)
  func failing(_ kind: TestDatabase) async throws {
    let database = try await kind.make()
    try await database.write { try $0.run("CREATE TABLE revocation (id text NOT NULL)") }
    await #expect(throws: DatabaseError.self) { try await Store(database).migrate() }
    #expect(try await rows(of: database).isEmpty)
    await #expect(throws: DatabaseError.self) {
      _ = try await database.read { try $0.rows("SELECT id FROM account ORDER BY id") }
    }
  }

  @Test("are numbered from 1 without a gap, and never ask for a program newer than themselves")
  func numbers() {
    #expect(Migration.all.map(\.number) == Array(1...Migration.newest))
    #expect(Migration.all.allSatisfy { $0.oldestCompatible <= $0.number })
  }

  private func rows(of database: any Database) async throws -> [[Int64]] {
    try await database.read {
      try $0.rows("SELECT number, oldest_compatible FROM migration ORDER BY number").map {
        [try $0.integer("number"), try $0.integer("oldest_compatible")]
      }
    }
  }
}
