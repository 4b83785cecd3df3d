import GroupCommit
import SQL

/// The one thread that writes: takes all queued writes, commits them together, then answers them.
///
/// Bodies seldom throw, so a batch first runs without a savepoint around each, with single statements sent together;
/// when something fails, the batch begins anew with savepoints, and only that is undone. Nobody, not even a body that
/// threw, is answered before the commit that its outcome depends on.
final class Writer {
  private let queue: WriteQueue
  private let opening: Opening
  /// Tells this opening of the database from all others.
  private let id: Int64
  private var session: ServerSession?
  /// Why the last transaction was refused as a whole.
  private var refusal: DatabaseError?

  init(queue: WriteQueue, opening: Opening, id: Int64) {
    self.queue = queue
    self.opening = opening
    self.id = id
  }

  /// A transaction of this many writes takes no more, so that the first of them is not kept waiting.
  private static let batchLimit = 256
  /// How many statements are sent at once: their answers fit into what a socket holds.
  private static let pipelineLimit = 64
  /// How often a batch is begun anew because of others or of a lost connection.
  private static let tries = 5

  /// Works until the queue is closed and empty.
  func run() {
    var work = WriteQueue.Work()
    while queue.next(&work) { commit(&work.writes) }
    session = nil
    queue.takeClosers().forEach { $0.resume() }
  }

  /// Commits `writes`, which are gone afterwards.
  private func commit(_ writes: inout [QueuedWrite]) {
    if commit(&writes, guarded: false) || commit(&writes, guarded: true) { return }
    // The commit itself was refused, because of one of them.
    for write in writes {
      var alone = [write]
      if !commit(&alone, guarded: true) { write.fail(refusal ?? .busy) }
    }
  }

  /// Commits `writes` together and answers them; `false` when they have to be tried in another way.
  private func commit(_ writes: inout [QueuedWrite], guarded isGuarded: Bool) -> Bool {
    var tries = 0
    while true {
      do throws(Failure) {
        let session = try begin()
        guard let answers = try commitTogether(&writes, guarded: isGuarded, on: session) else {
          end()
          return false
        }
        // Let go before they are answered: whoever waited frees what it made.
        writes.removeAll(keepingCapacity: true)
        opening.condition.noteRoom(true)
        answers.forEach { $0.give() }
        return true
      } catch {
        end()
        tries += 1
        guard error.isWorthAnotherTry, tries < Self.tries else {
          fail(writes, error.error)
          return true
        }
      }
    }
  }

  /// Runs all of `writes` in the transaction that has begun, and commits it; `nil` when something in it was refused.
  ///
  /// What comes meanwhile joins the same transaction, so that callers just answered share the next commit.
  private func commitTogether(
    _ writes: inout [QueuedWrite], guarded isGuarded: Bool, on session: ServerSession
  ) throws(Failure) -> [QueuedWrite.Answer]? {
    var answers: [QueuedWrite.Answer] = []
    answers.reserveCapacity(writes.count)
    do {
      while answers.count < writes.count {
        try run(writes[answers.count...], guarded: isGuarded, on: session, &answers)
        if answers.count == writes.count, writes.count < Self.batchLimit { queue.addMore(to: &writes) }
      }
      try session.commit()
      return answers
    } catch {
      guard let failure = session.failure, !failure.isRefusal else {
        refusal = session.failure?.error
        return nil
      }
      throw failure
    }
  }

  /// Begins a transaction and waits for the turn to write.
  private func begin() throws(Failure) -> ServerSession {
    let session = try connected()
    session.begin(with: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    do throws(DatabaseError) { try session.control(WriteTurn.take(as: id)) } catch {
      throw session.failure ?? .refused(error)
    }
    return session
  }

  private func connected() throws(Failure) -> ServerSession {
    if let session { return session }
    do throws(DatabaseError) {
      let new = try opening.session(isWriter: true)
      session = new
      return new
    } catch {
      throw .refused(error)
    }
  }

  /// Runs the first of `writes`: single statements as many as can be sent together, or else one.
  private func run(
    _ writes: ArraySlice<QueuedWrite>, guarded isGuarded: Bool, on session: ServerSession,
    _ answers: inout [QueuedWrite.Answer]
  ) throws {
    guard let first = writes.first else { return }
    if isGuarded { return answers.append(try attempt(first, on: session)) }
    let (statements, added) = Self.pipeline(writes)
    if added.isEmpty {
      answers.append(try first.run(session))
    } else {
      try session.runTogether(statements)
      answers += added
    }
    if let failure = session.failure { throw failure }
  }

  /// The statements at the beginning of `writes` that nobody needs a value of, with the answers to give for them.
  private static func pipeline(_ writes: ArraySlice<QueuedWrite>) -> ([Statement], [QueuedWrite.Answer]) {
    var statements: [Statement] = []
    var answers: [QueuedWrite.Answer] = []
    for write in writes where statements.count < pipelineLimit {
      switch write {
      case .statement(let statement, let waiter):
        statements.append(statement)
        answers.append(unsafe .durable(waiter))
      case .submission(let more, _):
        statements += more
        answers.append(.nobody)
      case .body: return (statements, answers)
      }
    }
    return (statements, answers)
  }

  /// Runs one write so that it alone is undone when it fails; throws only when the transaction as a whole is lost.
  private func attempt(_ write: QueuedWrite, on session: ServerSession) throws -> QueuedWrite.Answer {
    do {
      try session.setSavepoint()
      let answer = try write.run(session)
      if let failure = session.failure { throw failure.error }
      try session.releaseSavepoint()
      return answer
    } catch {
      if let failure = session.failure, !failure.isRefusal { throw failure }
      if case DatabaseError.full = error { opening.condition.noteRoom(false) }
      try session.rollbackToSavepoint()
      return .failed(write, error)
    }
  }

  /// Undoes what was begun, and gives the connection up if it cannot go on.
  private func end() {
    if session?.rollback() == false { session = nil }
  }

  private func fail(_ writes: [QueuedWrite], _ error: DatabaseError) {
    if error == .full { opening.condition.noteRoom(false) }
    writes.forEach { $0.fail(error) }
  }
}

extension Failure {
  fileprivate var isWorthAnotherTry: Bool {
    switch self {
    case .lost, .conflict: true
    case .refused, .uncertain: false
    }
  }
}
