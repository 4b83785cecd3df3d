/// Writes one-line JSON entries: time, level, a constant message, and fields.
///
/// The message is a `StaticString`, so that nothing a client sent can become one; what varies goes into fields.
/// Entries are buffered: they reach the file descriptor when 64 KiB have gathered, after 200 ms at the latest,
/// at once after an error entry, and when ``flush()`` is called.
public struct Logger: Sendable {
  /// The fields of one entry, in the order in which they are written.
  public typealias Fields = KeyValuePairs<StaticString, LogValue>

  /// Entries below this level are not written.
  public let level: LogLevel
  private let sink: LogSink

  /// A logger on an open file descriptor, which stays open and stays the caller's; 2 is standard error.
  public init(level: LogLevel = .info, fileDescriptor: Int32 = 2) {
    self.level = level
    sink = LogSink(fileDescriptor: fileDescriptor)
  }

  /// Writes an entry that helps to find a fault of the program.
  public func debug(_ message: StaticString, _ fields: Fields = [:]) { log(.debug, message, fields) }

  /// Writes an entry about normal business.
  public func info(_ message: StaticString, _ fields: Fields = [:]) { log(.info, message, fields) }

  /// Writes an entry about something that an administrator should look at some day.
  public func warning(_ message: StaticString, _ fields: Fields = [:]) { log(.warning, message, fields) }

  /// Writes an entry about something that an administrator should look at now, and flushes.
  public func error(_ message: StaticString, _ fields: Fields = [:]) { log(.error, message, fields) }

  /// Writes an entry of the given level.
  public func log(_ level: LogLevel, _ message: StaticString, _ fields: Fields = [:]) {
    guard level >= self.level else { return }
    sink.append(LogEntry.line(at: .now, level, message, fields))
    if level == .error { sink.flush() }
  }

  /// Writes out everything logged so far; returns when the system has it.
  public func flush() { sink.flush() }
}
