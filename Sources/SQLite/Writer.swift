import GroupCommit
import SQL

/// The one thread that writes: takes all queued writes, commits them together, then answers them.
///
/// Bodies seldom throw, so a batch first runs without a savepoint around each; when one throws, the batch begins anew
/// with savepoints, and only that body is undone.
/// SQLite can drop a whole transaction inside one body (disk full, I/O error, out of memory), after which the next
/// statement would commit by itself. So after each body the transaction must still be open; if it is not, the batch
/// runs again one by one, and only the guilty fail. Nobody, not even a body that threw, is answered before the commit
/// that its outcome depends on.
struct Writer: Sendable {
  let handle: SQLiteHandle
  let queue: WriteQueue
  let readers: ReaderPool
  let file: DatabaseFile

  /// A transaction of this many writes takes no more, so that the first of them is not kept waiting.
  private static let batchLimit = 1024

  /// Works until the queue is closed and empty.
  func run() {
    var work = WriteQueue.Work()
    while queue.next(&work) {
      commit(&work.writes)
      if !work.checkpoints.isEmpty { checkpoint(work.checkpoints) }
    }
    finish()
  }

  /// Commits `writes`, which are gone afterwards.
  ///
  /// They are let go before they are answered: whoever waited for one still holds what it was made of, and frees it in
  /// the thread that made it, which costs the writer nothing.
  private func commit(_ writes: inout [QueuedWrite]) {
    guard !writes.isEmpty else { return }
    for isGuarded in [false, true] {
      do throws(DatabaseError) { try handle.begin(.immediate) } catch { return writes.forEach { $0.fail(error) } }
      guard let answers = commitTogether(&writes, guarded: isGuarded) else { continue }
      writes.removeAll(keepingCapacity: true)
      return answers.forEach { $0.give() }
    }
    commitOneByOne(writes)
  }

  /// Runs all of `writes` in the open transaction and commits it; `nil` when it had to be rolled back.
  ///
  /// What comes meanwhile joins the same transaction, so that callers just answered share the next `fsync` rather than
  /// fall into two halves that wait for each other.
  private func commitTogether(_ writes: inout [QueuedWrite], guarded isGuarded: Bool) -> [QueuedWrite.Answer]? {
    do {
      var answers: [QueuedWrite.Answer] = []
      answers.reserveCapacity(writes.count)
      while answers.count < writes.count {
        for index in answers.count..<writes.count {
          let write = writes[index]
          answers.append(try isGuarded || write.isAtomic ? attempt(write) : write.run(handle))
          try handle.checkTransaction()
        }
        if writes.count < Self.batchLimit { queue.addMore(to: &writes) }
      }
      try handle.commitWrites()
      return answers
    } catch {
      handle.rollback()
      return nil
    }
  }

  /// Runs one write so that it alone is undone when it fails: under a savepoint, unless it is a single statement, which
  /// SQLite undoes itself.
  ///
  /// Throws only when the transaction as a whole is lost.
  private func attempt(_ write: QueuedWrite) throws(DatabaseError) -> QueuedWrite.Answer {
    if !write.isAtomic { try handle.setSavepoint() }
    do {
      let answer = try write.run(handle)
      if !write.isAtomic { try handle.releaseSavepoint() }
      return answer
    } catch {
      try handle.checkTransaction()
      if !write.isAtomic { try handle.rollbackToSavepoint() }
      return .failed(write, error)
    }
  }

  private func commitOneByOne(_ writes: [QueuedWrite]) {
    for (index, write) in writes.enumerated() {
      do throws(DatabaseError) {
        try handle.begin(.immediate)
      } catch {
        // Waiting for the same lock again on behalf of each of the others would only hold up the queue.
        return writes[index...].forEach { $0.fail(error) }
      }
      do {
        let answer = try write.run(handle)
        try handle.checkTransaction()
        try handle.commitWrites()
        answer.give()
      } catch {
        let loss = handle.lossOfTransaction
        handle.rollback()
        write.fail(loss ?? error)
      }
    }
  }

  private func checkpoint(_ waiters: [WriteQueue.Waiter]) {
    do throws(DatabaseError) {
      try handle.truncateLog()
      waiters.forEach { $0.resume() }
    } catch {
      waiters.forEach { $0.resume(throwing: error) }
    }
  }

  private func finish() {
    readers.close()
    let closers = queue.takeClosers()
    let failure: DatabaseError?
    do throws(DatabaseError) {
      try handle.truncateLog()
      failure = nil
    } catch {
      failure = error
    }
    handle.close()
    file.removeIfTemporary()
    closers.forEach { waiter in
      if let failure { waiter.resume(throwing: failure) } else { waiter.resume() }
    }
  }
}
