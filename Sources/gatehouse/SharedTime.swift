import Logging
import SQL
import Synchronization

/// The time that an installation goes by: that of the database server, where there is one, so that all instances agree
/// on what has expired and who holds a lease.
final class SharedTime: Sendable {
  private let database: any Database
  private let log: Logger
  /// Seconds by which the server's clock is ahead of this machine's.
  private let difference = Atomic<Int64>(0)

  /// Seconds that rounding and the way to the server can make up.
  private static let tolerance: Int64 = 2
  /// Seconds from which on an administrator should know.
  private static let notable: Int64 = 5

  /// Asks the server for its time at once.
  init(_ database: any Database, log: Logger) async throws {
    self.database = database
    self.log = log
    try await compare()
  }

  /// Seconds since 1970.
  @Sendable func now() -> Int64 { Process.wallClock() + difference.load(ordering: .relaxed) }

  /// Follows the server's clock until the task is cancelled.
  func follow() async {
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: .seconds(10))
        try await compare()
      } catch {
        // Others say that the server is away; our own clock goes on meanwhile.
        continue
      }
    }
  }

  private func compare() async throws {
    let before = Process.wallClock()
    guard let server = try await database.serverTime() else { return }
    let seen = server - (before + Process.wallClock()) / 2
    guard abs(seen - difference.load(ordering: .relaxed)) >= Self.tolerance else { return }
    difference.store(seen, ordering: .relaxed)
    guard abs(seen) >= Self.notable else { return }
    log.warning(
      "this machine's clock differs from that of the database server, which counts", ["seconds": .int(Int(seen))])
  }
}
