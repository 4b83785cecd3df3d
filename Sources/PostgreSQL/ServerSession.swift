import SQL

/// One connection with its prepared statements and the transaction that is open on it.
///
/// A failed statement ends its transaction: whatever is asked afterwards fails in the same way, and nothing of it can
/// be committed.
final class ServerSession: Session {
  /// Why the open transaction is lost, if it is.
  private(set) var failure: Failure?
  private let connection: ServerConnection
  private let isWriter: Bool
  private var prepared: PreparedStatements
  /// What begins the transaction, sent together with its first statement: a read pays no way of its own for it.
  private var opening: String?

  private let condition: ServerCondition

  init(_ connection: ServerConnection, isWriter: Bool, in opening: Opening) {
    self.connection = connection
    self.isWriter = isWriter
    condition = opening.condition
    prepared = PreparedStatements(capacity: opening.options.cachedStatements)
    if !isWriter { condition.noteReader() }
  }

  deinit {
    if !isWriter { condition.noteReaderGone() }
  }

  var user: String { connection.user }

  func rows(_ statement: Statement) throws(DatabaseError) -> [Row] {
    let (entry, result) = try execute(statement)
    let columns = entry.columns ?? result.columns
    entry.columns = columns
    do throws(DatabaseError) { return try result.rows(named: columns) } catch { throw lose(.refused(error)) }
  }

  @discardableResult
  func run(_ statement: Statement) throws(DatabaseError) -> Int { try execute(statement).result.changedCount }

  /// Runs statements that need no answer, on one way to the server and back.
  func runTogether(_ statements: [Statement]) throws(DatabaseError) {
    var steps: [ServerConnection.Step] = []
    var news: [News] = []
    for statement in statements {
      try check(statement)
      let key = PreparedStatements.Key(statement)
      let known = news.first { $0.key == key }?.entry ?? prepared.find(key)
      let entry = known ?? prepared.newEntry()
      if known == nil {
        news.append((key, entry))
        steps.append(.prepare(name: entry.name, text: key.text, types: key.types))
      }
      steps.append(.run(name: entry.name, BoundValues(statement.binds)))
    }
    _ = try exchange(steps, preparing: news)
  }

  /// Notes that nothing is begun yet, and what the first statement shall be preceded by.
  func begin(with opening: String) {
    failure = nil
    self.opening = opening
  }

  /// Commits what was begun; throws unless the server says that it is committed.
  func commit() throws(Failure) {
    if let failure { throw failure }
    // Nothing was asked, so that nothing was begun.
    guard opening == nil else {
      opening = nil
      return
    }
    let outcome = connection.exchange([.command("COMMIT")])
    if let error = outcome.error {
      let failure = Failure(error, isWriter: isWriter)
      if case .lost = failure, isWriter { throw note(.uncertain) }
      throw note(failure)
    }
    guard outcome.results.first?.tag == "COMMIT" else {
      throw note(.refused(.failed(code: "transaction", message: "a body ended the transaction it ran in")))
    }
  }

  /// Undoes the transaction, whatever is left of it; whether the connection can go on.
  func rollback() -> Bool {
    defer { opening = nil }
    switch failure {
    case .lost, .uncertain: return false
    default: break
    }
    if opening != nil { return true }
    return connection.exchange([.command("ROLLBACK")]).error == nil
  }

  func setSavepoint() throws(DatabaseError) { try control("SAVEPOINT body") }

  func releaseSavepoint() throws(DatabaseError) { try control("RELEASE body") }

  /// Undoes what was done since the savepoint, the failure of a statement included.
  func rollbackToSavepoint() throws(DatabaseError) {
    if failure?.isRefusal == true { failure = nil }
    _ = try exchange([.command("ROLLBACK TO body"), .command("RELEASE body")])
  }

  /// Runs a statement of the driver's own, without values and without preparing it.
  func control(_ text: String) throws(DatabaseError) { _ = try exchange([.command(text)]) }

  private func execute(
    _ statement: Statement
  ) throws(DatabaseError) -> (entry: PreparedStatements.Entry, result: QueryResult) {
    try check(statement)
    let key = PreparedStatements.Key(statement)
    let values = BoundValues(statement.binds)
    if let known = prepared.find(key) {
      return (known, try last(of: exchange([.run(name: known.name, values)])))
    }
    let entry = prepared.newEntry()
    let steps: [ServerConnection.Step] = [
      .prepare(name: entry.name, text: key.text, types: key.types), .run(name: entry.name, values),
    ]
    return (entry, try last(of: exchange(steps, preparing: [(key, entry)])))
  }

  private func last(of results: [QueryResult]) throws(DatabaseError) -> QueryResult {
    guard let result = results.last else { throw lose(.lost(.away("the database server did not answer"))) }
    return result
  }

  private static let reserved: Set<String> = [
    "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare", "deallocate", "discard",
  ]

  private func check(_ statement: Statement) throws(DatabaseError) {
    if let failure { throw failure.error }
    let word = statement.text.drop { !$0.isLetter }.prefix { $0.isLetter }.lowercased()
    guard !word.isEmpty, !Self.reserved.contains(word) else {
      let message = "a body may not begin or end a transaction: \(statement.text)"
      throw lose(.refused(.failed(code: "transaction", message: message)))
    }
  }

  /// What a pipeline prepares, in its order.
  private typealias News = (key: PreparedStatements.Key, entry: PreparedStatements.Entry)

  private func exchange(
    _ steps: [ServerConnection.Step], preparing news: [News] = []
  ) throws(DatabaseError) -> [QueryResult] {
    if let failure { throw failure.error }
    let begins = opening.map { [ServerConnection.Step.command($0)] } ?? []
    opening = nil
    let outcome = connection.exchange(begins + steps)
    // What was prepared stays so, even if running it failed.
    keep(news.prefix(steps.prefix(max(outcome.results.count - begins.count, 0)).count(where: \.prepares)))
    if let error = outcome.error { throw lose(Failure(error, isWriter: isWriter)) }
    try makeRoom()
    return outcome.results
  }

  private func keep(_ news: ArraySlice<News>) {
    for (key, entry) in news { prepared.keep(entry, for: key) }
  }

  private func makeRoom() throws(DatabaseError) {
    while let surplus = prepared.takeSurplus() {
      let outcome = connection.exchange([.command("DEALLOCATE \(surplus.name)")])
      if let error = outcome.error { throw lose(Failure(error, isWriter: isWriter)) }
    }
  }

  private func lose(_ failure: Failure) -> DatabaseError { note(failure).error }

  private func note(_ failure: Failure) -> Failure {
    self.failure = failure
    return failure
  }
}
