import Glibc
import Testing

@testable import Logging

@Suite struct LoggerTests {
  @Test("An entry is one line of JSON: time, level, message, then the fields in order")
  func entry() {
    let line = text(["address": "::1", "status": 200, "secure": true])
    #expect(
      line == #"{"time":"2024-02-29T23:59:59.007Z","level":"info","message":"answered","#
        + #""address":"::1","status":200,"secure":true}"# + "\n")
  }

  @Test(
    "A field cannot break out of its string or its line",
    arguments: [
      ("a\nb", #"a\nb"#), ("a\r\u{0}b", #"a\u000d\u0000b"#), ("a\"b\\c", #"a\"b\\c"#), ("é\u{7F}", #"é\u007f"#),
    ])
  func escaping(value: String, escaped: String) {
    #expect(text(["value": .string(value)]).hasSuffix(#""value":"\#(escaped)"}"# + "\n"))
  }

  @Test("Flush writes everything logged before it, in order")
  func flush() throws {
    let pipe = try Pipe()
    let logger = Logger(fileDescriptor: pipe.writeEnd)
    logger.info("first")
    logger.warning("second", ["n": 2])
    logger.flush()
    let lines = pipe.readAvailable().split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains(#""message":"first""#) == true)
    #expect(lines.last?.contains(#""message":"second","n":2"#) == true)
  }

  @Test("An error entry is written at once, together with what was buffered before it")
  func errorsAreImmediate() throws {
    let pipe = try Pipe()
    let logger = Logger(fileDescriptor: pipe.writeEnd)
    logger.info("before")
    logger.error("broken")
    #expect(pipe.readAvailable().split(separator: "\n").count == 2)
  }

  @Test("A buffered entry is written without a flush")
  func timer() throws {
    let pipe = try Pipe()
    Logger(fileDescriptor: pipe.writeEnd).info("alone")
    #expect(pipe.readWaiting().contains("alone"))
  }

  @Test("Entries below the level are not written")
  func level() throws {
    let pipe = try Pipe()
    let logger = Logger(level: .warning, fileDescriptor: pipe.writeEnd)
    logger.info("quiet")
    logger.warning("loud")
    logger.flush()
    #expect(pipe.readAvailable().split(separator: "\n").count == 1)
  }

  private func text(_ fields: Logger.Fields) -> String {
    let time = WallClock(seconds: 1_709_251_199, milliseconds: 7)
    return String(decoding: LogEntry.line(at: time, .info, "answered", fields), as: UTF8.self)
  }
}

/// A pipe whose read end answers at once.
private final class Pipe {
  let readEnd: Int32
  let writeEnd: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    let result = unsafe pipe(&ends)
    try #require(result == 0)
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func readAvailable() -> String {
    var request = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, 0) > 0 ? readWaiting() : ""
  }

  func readWaiting() -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe read(readEnd, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}
