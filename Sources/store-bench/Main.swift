import Glibc
import SQL
import SQLite

/// Measures how many durable rows a second one caller and 64 callers get: `store-bench FILE SECONDS`.
///
/// Prints two lines, `single RATE` and `group RATE`.
@main
enum Main {
  static func main() async throws {
    guard CommandLine.arguments.count == 3, let seconds = Int(CommandLine.arguments[2]), seconds > 0 else {
      print("usage: store-bench FILE SECONDS")
      exit(64)
    }
    let database = try SQLiteDatabase.open(path: CommandLine.arguments[1])
    try await database.write("CREATE TABLE IF NOT EXISTS entry (caller bigint NOT NULL, text text NOT NULL)")
    for (name, callers) in [("single", 1), ("group", 64)] {
      // The first pass brings the file and the log to their size.
      _ = try await rows(callers, in: database, for: .milliseconds(300))
      let count = try await rows(callers, in: database, for: .seconds(seconds))
      print(name, count / seconds)
    }
    try await database.close()
  }

  /// How many rows `callers` write, each waiting for its row before it begins the next.
  private static func rows(_ callers: Int, in database: SQLiteDatabase, for time: Duration) async throws -> Int {
    let end = ContinuousClock.now + time
    let text = String(repeating: "an audit row ", count: 10)
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for caller in 0..<callers {
        group.addTask {
          var count = 0
          while ContinuousClock.now < end {
            // In the form in which audit rows are written.
            try await database.write(
              Statement(
                text: "INSERT INTO entry (caller, text) VALUES ($1, $2)",
                binding: [.integer(Int64(caller)), .text(text)]))
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
  }
}
