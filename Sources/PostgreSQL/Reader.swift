import Glibc
import SQL

/// One of the threads that read, with a connection of its own that it opens when it first needs it.
final class Reader {
  private let queue: ReadQueue
  private let opening: Opening
  private var session: ServerSession?

  init(queue: ReadQueue, opening: Opening) {
    self.queue = queue
    self.opening = opening
  }

  /// How often a read is begun anew when its connection is lost: a restarted server has ended all of them.
  private static let tries = 3

  /// Works until the queue is closed and empty.
  func run() {
    while let read = queue.next() { perform(read) }
  }

  private func perform(_ read: QueuedRead) {
    var failure = Failure.conflict
    for _ in 0..<Self.tries {
      do throws(DatabaseError) {
        if session == nil { session = try opening.session(isWriter: false) }
      } catch {
        return leave(read, error)
      }
      guard let session, let newFailure = attempt(read, on: session) else { return }
      failure = newFailure
    }
    read.fail(failure.error)
  }

  /// Runs a read on one snapshot; why it has to be run again, unless it was answered.
  private func attempt(_ read: QueuedRead, on session: ServerSession) -> Failure? {
    session.begin(with: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    do {
      let answer = try read.run(session)
      if let failure = session.failure { throw failure.error }
      // Whoever waits need not wait for the end of a transaction that changed nothing.
      answer()
      do throws(Failure) { try session.commit() } catch { self.session = nil }
      return nil
    } catch {
      let failure = session.failure
      if !session.rollback() { self.session = nil }
      if let failure, !failure.isRefusal { return failure }
      read.fail(error)
      return nil
    }
  }

  /// Without a connection: others who have one do it, or nobody can.
  private func leave(_ read: QueuedRead, _ error: DatabaseError) {
    guard opening.condition.hasReaders else { return read.fail(error) }
    queue.putBack(read)
    usleep(100_000)
  }
}
