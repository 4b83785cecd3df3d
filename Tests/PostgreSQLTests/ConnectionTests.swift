import Glibc
import PostgreSQL
import SQL
import Synchronization
import TestPostgreSQL
import Testing

@Suite("Connections to PostgreSQL", .enabled(if: TestCluster.location != nil))
struct ConnectionTests {
  /// Ends all connections of a database but the one that asks.
  private static let termination: Statement = """
    SELECT count(pg_terminate_backend(pid)) AS n FROM pg_stat_activity
    WHERE application_name = current_setting('application_name') AND pid <> pg_backend_pid()
    """

  @Test("Reads and writes go on after their connections were ended")
  func termination() async throws {
    let schema = try await TestSchema(applicationName: "ended")
    let (database, killer) = (try schema.open(), try schema.open())
    try await database.prepare("CREATE TABLE t (n bigint)")
    for number in 1...3 {
      _ = try await database.numbers()
      _ = try await killer.read { try $0.first(Self.termination) }
      if number != 2 { #expect(try await database.numbers().count == number - 1) }
      try await database.write("INSERT INTO t (n) VALUES (\(number))")
    }
    #expect(try await database.numbers() == [1, 2, 3])
  }

  @Test("A write whose connection is ended in its midst is made anew, once")
  func midst() async throws {
    let schema = try await TestSchema(applicationName: "midst")
    let (database, killer) = (try schema.open(), try schema.open())
    try await database.prepare("CREATE TABLE t (n bigint)")
    let runs = Atomic<Int>(0)
    let (hasRun, isEnded) = (Flag(), Flag())
    let write = Task {
      try await database.write { session in
        try session.run("INSERT INTO t (n) VALUES (1)")
        if runs.add(1, ordering: .relaxed).newValue == 1 {
          hasRun.raise()
          isEnded.block()
        }
        try session.run("INSERT INTO t (n) VALUES (2)")
      }
    }
    await hasRun.wait()
    _ = try await killer.read { try $0.first(Self.termination) }
    isEnded.raise()
    try await write.value
    #expect(try await database.numbers() == [1, 2])
    #expect(runs.load(ordering: .relaxed) == 2)
  }

  @Test("A write whose connection is lost while it commits is never called done, nor made anew")
  func uncertain() async throws {
    let database = try await PostgreSQLDatabase.withTable()
    try await database.prepare(
      """
      CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_terminate_backend(pg_backend_pid());
        PERFORM pg_sleep(10);
        RETURN NULL;
      END $$
      """,
      "CREATE CONSTRAINT TRIGGER d AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die()")
    let runs = Atomic<Int>(0)
    let error = await #expect(throws: DatabaseError.self) {
      try await database.write { session in
        runs.add(1, ordering: .relaxed)
        try session.run("INSERT INTO t (n) VALUES (1)")
      }
    }
    guard case .failed(code: "08007", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(runs.load(ordering: .relaxed) == 1)
    try await database.write { _ in }
  }

  @Test("A server that lets nobody in is away, and comes back by itself")
  func absence() async throws {
    let administrator = try await TestSchema().open()
    let guest = "guest\(UInt32.random(in: 0...UInt32.max))"
    try await administrator.prepare("CREATE ROLE \(guest) LOGIN", "CREATE SCHEMA \(guest) AUTHORIZATION \(guest)")
    let location = try ConnectionString(
      (TestCluster.location ?? "").replacing("user=gatehouse", with: "user=\(guest)")
        + " options=-csearch_path=\(guest)")
    let database = try PostgreSQLDatabase.open(location)
    try await database.prepare("CREATE TABLE t (n bigint)")
    try await administrator.prepare("ALTER ROLE \(guest) NOLOGIN")
    _ = try await administrator.read {
      try $0.first("SELECT count(pg_terminate_backend(pid)) AS n FROM pg_stat_activity WHERE usename = \(guest)")
    }
    for _ in 0..<2 {
      let error = await #expect(throws: DatabaseError.self) { _ = try await database.numbers() }
      guard case .away(let reason) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(reason.contains("not permitted to log in"))
    }
    await #expect(throws: DatabaseError.self) { try await database.write("INSERT INTO t (n) VALUES (1)") }
    #expect(database.writeRefusal != nil)
    try await administrator.prepare("ALTER ROLE \(guest) LOGIN")
    while (try? await database.numbers()) == nil { try await Task.sleep(for: .milliseconds(20)) }
    try await database.write("INSERT INTO t (n) VALUES (2)")
    #expect(database.writeRefusal == nil)
    #expect(try await database.numbers() == [2])
  }

  @Test("What cannot be opened is said in words for the administrator")
  func refusals() async throws {
    let place = TestCluster.location ?? ""
    let administrator = try await TestSchema().open()
    let bare = "bare\(UInt32.random(in: 0...UInt32.max))"
    let (closed, fixed) = ("closed_\(bare)", "fixed_\(bare)")
    try await administrator.prepare(
      "CREATE ROLE \(bare) LOGIN", "CREATE SCHEMA \(closed)", "CREATE SCHEMA \(fixed)",
      "GRANT USAGE ON SCHEMA \(fixed) TO \(bare)")
    let cases = [
      (place.replacing("dbname=postgres", with: "dbname=none"), "none"),
      (place.replacing("user=gatehouse", with: "user=nobody"), "nobody"),
      (place.replacing("user=gatehouse", with: "user=\(bare)") + " options=-csearch_path=\(closed)", "GRANT CREATE"),
      (place.replacing("user=gatehouse", with: "user=\(bare)") + " options=-csearch_path=\(fixed)", "GRANT CREATE"),
      ("host=/tmp/no-such-place", "/tmp/no-such-place"),
    ]
    for (text, words) in cases {
      let error = #expect(throws: DatabaseError.self) { try PostgreSQLDatabase.open(ConnectionString(text)) }
      #expect(String(describing: error).contains(words), "\(String(describing: error))")
    }
  }

  @Test("A connection whose server fell silent is given up, and what was asked is asked again on a new one")
  func silence() async throws {
    var options = PostgreSQLDatabase.Options.few
    (options.statementTimeout, options.silence, options.readers) = (1000, 500, 1)
    let database = try await PostgreSQLDatabase.withTable(options)
    let halted = try await database.read { try $0.first("SELECT pg_backend_pid() AS pid")?.integer("pid") ?? 0 }
    #expect(kill(pid_t(halted), SIGSTOP) == 0)
    #expect(try await database.numbers().isEmpty)
    let new = try await database.read { try $0.first("SELECT pg_backend_pid() AS pid")?.integer("pid") ?? 0 }
    #expect(new != halted)
    #expect(kill(pid_t(halted), SIGCONT) == 0)
  }

  @Test("No error holds a value")
  func values() async throws {
    let database = try await PostgreSQLDatabase.withTable()
    try await database.prepare("ALTER TABLE t ADD CHECK (name <> 'hush-hush')")
    let secret = "hush-hush"
    let statements: [Statement] = [
      "SELECT CAST(CAST(\(secret) AS text) AS bigint) AS n", "INSERT INTO t (name) VALUES (\(secret))",
      "SELECT CAST(\(secret) AS bytea) || CAST('\\x' || \(secret) AS bytea) AS n",
    ]
    for statement in statements {
      let error = await #expect(throws: DatabaseError.self) { _ = try await database.write { try $0.rows(statement) } }
      #expect(!String(describing: error).contains("hush"))
    }
    try await database.write("INSERT INTO t (name) VALUES ('hush')")
    let error = await #expect(throws: DatabaseError.self) {
      try await database.write("INSERT INTO t (name) VALUES ('hush')")
    }
    #expect(error == .duplicate)
  }

  @Test(
    "A connection string that cannot be read, or leads away in clear, is refused without being quoted",
    arguments: [
      "postgresql://ana:geheim@sesam@db.example/gatehouse", "host=db.example password=geheim", "geheim", "host='geheim",
      "postgresql://ana:geheim@127.0.0.1,db.example/gatehouse", "postgresql://ana:geheim%zz@localhost/x",
    ])
  func connectionStrings(text: String) {
    let error = #expect(throws: DatabaseError.self) { try ConnectionString(text) }
    #expect(!String(describing: error).contains("geheim"))
  }

  @Test("A connection string tells where it leads, but no password")
  func description() throws {
    let far = try ConnectionString("postgresql://ana:geheim@db.example/gatehouse?sslmode=verify-full")
    #expect("\(far)" == "the database gatehouse on db.example")
    #expect(try "\(ConnectionString("user=ana password=geheim"))" == "the database ana on this machine")
  }

  @Test("Every session has its limits, unless they are set elsewhere")
  func limits() async throws {
    let schema = try await TestSchema().location
    let settings = { (location: String) async throws -> [String] in
      let database = try PostgreSQLDatabase.open(ConnectionString(location))
      return try await database.read { session in
        try ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "synchronous_commit"].map {
          try session.first("SELECT current_setting(\($0)) AS value")?.text("value") ?? ""
        }
      }
    }
    #expect(try await settings(schema) == ["10s", "5s", "10s", "on"])
    let other = schema.replacing("options=-c", with: "options='-cstatement_timeout=1s -c") + "'"
    #expect(try await settings(other)[0] == "1s")
  }
}
