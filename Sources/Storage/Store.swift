public import Domain
public import SQL

/// Every query of the product.
///
/// The methods of ``Transaction`` are the only SQL outside the drivers.
public struct Store: Sendable {
  let database: any Database
  let configuration = ChangeCount()
  let changes = ChangeCount()
  private let foreign = ForeignRevision()

  public init(_ database: any Database) { self.database = database }

  /// Rises whenever clients or connections may have changed, after the change is durable and before anybody is told.
  ///
  /// What was read while it was `n` may be kept for as long as it is `n`: read it first, then the rows.
  public var configurationVersion: Int { trusted(configuration) }

  /// Rises in the same way after every write but those of audit rows and the notes of a last use.
  public var changeVersion: Int { trusted(changes) }

  /// Raises both versions when somebody else has written since the last call.
  ///
  /// What is kept here is otherwise exact for the writes of this store alone. Once this was called, it has to be again
  /// within a second: until then nothing that was read from a shared database before is believed.
  ///
  /// - Returns: Whether somebody has.
  @discardableResult
  public func noticeForeignWrites() async throws -> Bool {
    let asked = ContinuousClock.now
    foreign.begin(at: asked)
    let isNew = foreign.isNew(try await database.foreignRevision())
    if isNew {
      changes.raise()
      configuration.raise()
    }
    foreign.noteAnswer(to: asked)
    return isNew
  }

  /// For how long nothing was heard of what others write to a shared database; zero for one that is not shared.
  public var silence: Duration { database.isShared ? foreign.age ?? .zero : .zero }

  /// What others end has ended here a second later, even if nobody can ask whether they did.
  private static let longestTrust = Duration.seconds(1)

  private func trusted(_ count: ChangeCount) -> Int {
    if silence > Self.longestTrust { count.raise() }
    return count.current
  }

  /// Runs `body` on a snapshot.
  public func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
    try await database.read { try body(Transaction(session: $0, marks: nil)) }
  }

  /// Runs `body` and returns once its writes are durable; a throw undoes them.
  ///
  /// A refusal that must keep its writes (a burnt code) is returned from the body and thrown after it.
  @discardableResult
  public func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
    try await noticing { try await database.write { try Transaction.written(body, $0) } }
  }

  /// Like ``write(_:)``, after everything that somebody waits for: bulk work of at most 500 rows a call.
  @discardableResult
  public func writeInBackground<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
    try await noticing { try await database.writeInBackground { try Transaction.written(body, $0) } }
  }

  /// Like ``writeInBackground(_:)``, for the audit log alone: ``changeVersion`` stays.
  public func writeAuditInBackground(_ body: @escaping @Sendable (Transaction) throws -> Void) async throws {
    try await database.writeInBackground { try body(Transaction(session: $0, marks: nil)) }
  }

  /// Sets a place in the queue of writes aside, for what must not be refused once it has begun.
  public func reserve() throws -> WriteReservation { try database.reserve() }

  /// Like ``write(_:)``, in a place that was set aside.
  @discardableResult
  public func write<T: Sendable>(
    using reservation: WriteReservation, _ body: @escaping @Sendable (Transaction) throws -> T
  ) async throws -> T {
    try await noticing { try await database.write(using: reservation) { try Transaction.written(body, $0) } }
  }

  /// Why nothing can be written at present, if so; who writes all the same is refused with it.
  public var writeRefusal: DatabaseError? { database.writeRefusal }

  /// Makes what was deleted before this call unreadable in the database's files.
  public func shredCheckpoint() async throws { try await database.shredCheckpoint() }

  /// Notes that a session was used; not worth waiting for.
  public func touchSession(_ hash: TokenHash, at now: Timestamp) {
    database.submit(["UPDATE session SET last_seen_at = \(now) WHERE hash = \(hash) AND last_seen_at < \(now)"])
  }

  /// Notes that a credential was vended; not worth waiting for.
  public func touchCredential(_ id: CredentialID, at now: Timestamp) {
    database.submit(["UPDATE credential SET last_used_at = \(now) WHERE id = \(id)"])
  }

  /// Notes that a client got a token; not worth waiting for.
  public func touchClient(_ id: ClientID, at now: Timestamp) {
    database.submit(["UPDATE client SET last_used_at = \(now) WHERE id = \(id)"])
  }

  /// Remembers the latest time seen, so that a clock set back revives nothing after a restart.
  public func raiseClock(to now: Timestamp) {
    database.submit([
      """
      INSERT INTO setting (name, value) VALUES ('clock', \(String(now.seconds)))
      ON CONFLICT (name) DO UPDATE SET value = excluded.value
      WHERE length(setting.value) < length(excluded.value)
        OR length(setting.value) = length(excluded.value) AND setting.value < excluded.value
      """
    ])
  }
}

/// The queries, inside one transaction.
public struct Transaction {
  let session: any Session
  let marks: ConfigurationMarks?
}

extension TokenHash: Bindable { public var sqlValue: Value { .bytes(bytes) } }
extension Timestamp: Bindable { public var sqlValue: Value { .integer(seconds) } }
extension Identifier: Bindable { public var sqlValue: Value { .text(text) } }
extension ConnectionID: Bindable { public var sqlValue: Value { .text(text) } }

extension Row {
  func time(_ name: String) throws -> Timestamp { Timestamp(seconds: try integer(name)) }

  func optionalTime(_ name: String) throws -> Timestamp? {
    try optionalInteger(name).map(Timestamp.init(seconds:))
  }

  func hash(_ name: String) throws -> TokenHash { TokenHash(bytes: try bytes(name)) }

  func optionalHash(_ name: String) throws -> TokenHash? { try optionalBytes(name).map(TokenHash.init(bytes:)) }

  func flag(_ name: String) throws -> Bool { try integer(name) != 0 }

  func identifier<Subject: Identified>(_ name: String, of: Subject.Type = Subject.self) throws -> Identifier<Subject> {
    try parsed(name) { Identifier<Subject>($0) }
  }

  func connectionID(_ name: String) throws -> ConnectionID { try parsed(name) { ConnectionID($0) } }

  /// Reads a text that this program wrote and must be able to read again.
  func parsed<T>(_ name: String, _ parse: (String) -> T?) throws -> T {
    guard let value = parse(try text(name)) else { throw DatabaseError.column(name) }
    return value
  }

  /// Reads a list kept as lines.
  func lines(_ name: String) throws -> [String] {
    try text(name).utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
  }

  func sealed() throws -> Sealed {
    Sealed(kekID: try text("kek_id"), wrappedKey: try bytes("wrapped_key"), box: try bytes("box"))
  }
}

extension [String] {
  /// The form in which a list of lines is kept; an element never holds a line break.
  var asLines: String { joined(separator: "\n") }
}
