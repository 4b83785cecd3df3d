import CPostgreSQL
import Glibc
import SQL

/// Owner of one `PGconn *`, used by one thread alone and closed when it is released.
///
/// It stays in pipeline mode: whatever is sent together costs one way to the server and back. A pipeline that fails is
/// over, and its statements after the failed one did not run.
@safe final class ServerConnection {
  /// One message of a pipeline.
  enum Step {
    /// A statement of the driver's own, without values.
    case command(String)
    case prepare(name: String, text: String, types: [Oid])
    case run(name: String, BoundValues)

    var prepares: Bool {
      if case .prepare = self { true } else { false }
    }
  }

  /// How a pipeline went: what its steps yielded up to the first that failed, and why that one did.
  struct Outcome {
    var results: [QueryResult] = []
    var error: ServerError?
  }

  private let raw: OpaquePointer
  /// For how long the server may say nothing while something is asked of it, in milliseconds.
  var patience: Int32
  private var fellSilent = false

  /// Connects, and waits for it no longer than the connection string or ``ConnectionString/defaults`` say.
  ///
  /// - Throws: ``DatabaseError/away(_:)`` with libpq's own words, which name server, user and database.
  init(_ string: ConnectionString, patience: Int32) throws(DatabaseError) {
    guard let opened = unsafe Self.open(string) else { throw .away("there is no memory for a connection") }
    unsafe raw = opened
    self.patience = patience
    guard unsafe PQstatus(raw) == CONNECTION_OK, unsafe PQenterPipelineMode(raw) == 1,
      unsafe PQsetnonblocking(raw, 1) == 0
    else { throw .away(lastMessage) }
    unsafe cpostgresql_forget_notices(raw)
  }

  deinit { unsafe PQfinish(raw) }

  private static func open(_ string: ConnectionString) -> OpaquePointer? {
    let words = string.parameters.flatMap { [$0.name, $0.value] }
    let copies = unsafe words.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    var (names, values): ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) = unsafe ([], [])
    for index in unsafe stride(from: 0, to: copies.count, by: 2) {
      unsafe names.append(UnsafePointer(copies[index]))
      unsafe values.append(UnsafePointer(copies[index + 1]))
    }
    unsafe names.append(nil)
    unsafe values.append(nil)
    return unsafe PQconnectdbParams(names, values, 1)
  }

  /// For example 150004 for 15.4.
  var serverVersion: Int { unsafe Int(PQserverVersion(raw)) }

  var user: String { unsafe String(cString: PQuser(raw)) }

  /// Sends `steps` at once and waits until the server has answered all of them.
  func exchange(_ steps: [Step]) -> Outcome {
    guard steps.allSatisfy(send), unsafe PQpipelineSync(raw) == 1, flush() else { return loss(after: nil) }
    var outcome = Outcome()
    for _ in steps {
      guard let result = receive() else { return loss(after: outcome.error) }
      if result.isSuccess, outcome.error == nil {
        outcome.results.append(result)
      } else if outcome.error == nil, !result.wasSkipped {
        outcome.error = result.serverError
      }
      // Each answer is followed by an end of its own.
      while receive() != nil {}
    }
    guard !isLost, receive()?.endsPipeline == true else { return loss(after: outcome.error) }
    return outcome
  }

  private var isLost: Bool { unsafe fellSilent || PQstatus(raw) != CONNECTION_OK }

  private func loss(after last: ServerError?) -> Outcome {
    guard fellSilent else { return Outcome(error: .loss(after: last)) }
    let message = "the database server has not answered for \(patience / 1000) seconds"
    return Outcome(error: ServerError(code: "", message: message, places: []))
  }

  private func flush() -> Bool {
    while true {
      switch unsafe PQflush(raw) {
      case 0: return true
      // What is to be sent may wait for answers to be taken.
      case 1: guard wait(for: POLLIN | POLLOUT) else { return false }
      default: return false
      }
    }
  }

  private func receive() -> QueryResult? {
    while unsafe PQisBusy(raw) == 1, wait(for: POLLIN) {}
    return unsafe fellSilent ? nil : PQgetResult(raw).map { unsafe QueryResult(owning: $0) }
  }

  /// Waits until the connection is ready, and takes what has come; `false` when it is lost.
  private func wait(for events: Int32) -> Bool {
    var descriptor = unsafe pollfd(fd: PQsocket(raw), events: Int16(events), revents: 0)
    var count: Int32
    repeat { count = unsafe poll(&descriptor, 1, patience) } while count < 0 && errno == EINTR
    if count == 0 { fellSilent = true }
    guard count > 0 else { return false }
    return unsafe descriptor.revents & Int16(POLLIN | POLLHUP | POLLERR) == 0 || PQconsumeInput(raw) == 1
  }

  private func send(_ step: Step) -> Bool {
    switch step {
    case .command(let text): unsafe PQsendQueryParams(raw, text, 0, nil, nil, nil, nil, 1) == 1
    case .prepare(let name, let text, let types):
      unsafe PQsendPrepare(raw, name, text, Int32(types.count), types) == 1
    case .run(let name, let values): send(values, to: name)
    }
  }

  private func send(_ values: BoundValues, to name: String) -> Bool {
    let formats = [Int32](repeating: 1, count: values.lengths.count)
    return unsafe values.bytes.withUnsafeBufferPointer { bytes in
      let start = unsafe UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      let pointers = unsafe values.starts.map { offset in unsafe offset.flatMap { unsafe start?.advanced(by: $0) } }
      return unsafe PQsendQueryPrepared(
        raw, name, Int32(values.lengths.count), pointers, values.lengths, formats, 1) == 1
    }
  }

  /// libpq's last words, in one line.
  private var lastMessage: String {
    let text = unsafe String(cString: PQerrorMessage(raw))
    return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

extension ServerConnection {
  /// The settings that stand in a connection string; `nil` when libpq cannot read it.
  ///
  /// What libpq finds wrong is not told, since it quotes the string, which may hold a password.
  static func settings(in string: String) -> [String: String]? {
    guard let options = unsafe PQconninfoParse(string, nil) else { return nil }
    defer { unsafe PQconninfoFree(options) }
    var settings: [String: String] = [:]
    var option = unsafe options
    while let name = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val { unsafe settings[String(cString: name)] = String(cString: value) }
      unsafe option += 1
    }
    return settings
  }
}
