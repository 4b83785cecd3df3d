import SQL

/// What the server, or libpq, said about a failure.
struct ServerError {
  /// The SQLSTATE; empty where the server said nothing any more.
  let code: String
  /// The first line of what was said, which may quote values.
  let message: String
  /// Names of the table, column and constraint that it is about.
  let places: [String]
}

/// What a failure means for the transaction that it happened in.
enum Failure: Error {
  /// The connection, or what it had prepared, is gone: the transaction never happened.
  case lost(DatabaseError)
  /// The server undid the transaction because of others; the same one may succeed now.
  case conflict
  /// The statement itself was refused.
  case refused(DatabaseError)
  /// The connection went while the transaction was being committed: nobody knows whether it happened.
  case uncertain

  /// What a body, and whoever waits for it, is told.
  var error: DatabaseError {
    switch self {
    case .lost(let error), .refused(let error): error
    case .conflict: .busy
    case .uncertain:
      .failed(
        code: "08007",
        message: "the connection to the database server was lost during a commit, which may have happened")
    }
  }

  /// Whether only the statement failed: the transaction can go on from its last savepoint.
  var isRefusal: Bool {
    if case .refused = self { true } else { false }
  }
}

extension Failure {
  /// Judges an error by its SQLSTATE (PostgreSQL manual, appendix A).
  ///
  /// A writer whose server has become a replica looks for another one.
  init(_ error: ServerError, isWriter: Bool) {
    switch error.code {
    case "40001", "40P01": self = .conflict
    case "": self = .lost(.away(error.message))
    // What is prepared does not fit any more: a changed table, a pooler that has swapped servers.
    case "0A000" where error.message.contains("cached plan"), "26000":
      self = .lost(.away("the server forgot a prepared statement"))
    case "25006" where isWriter:
      self = .lost(.away("the database server takes no writes: it is a read-only replica, or set to read only"))
    case "25P03", "57P01", "57P02", "57P03", "57P04", "57P05", "53300", "53200":
      self = .lost(.away("the database server does not serve this connection: \(error.message)"))
    case let code where code.hasPrefix("08"):
      self = .lost(.away("the connection to the database server was lost: \(error.message)"))
    case "23505": self = .refused(.duplicate)
    case "53100": self = .refused(.full)
    case "55P03": self = .refused(.busy)
    case "57014":
      self = .refused(.failed(code: error.code, message: "the database server took too long (statement_timeout)"))
    default: self = .refused(.failed(code: error.code, message: error.messageWithoutValues))
    }
  }
}

extension ServerError {
  /// The end of a connection; `last` is what the server said before it went.
  static func loss(after last: ServerError?) -> ServerError {
    let reason = last.map { ": \($0.messageWithoutValues)" } ?? ""
    return ServerError(code: "", message: "the connection to the database server was lost\(reason)", places: [])
  }

  /// What may be logged: the server quotes values where it finds fault with data (classes 22, 23, P0), and there only
  /// the names of what it is about are told.
  var messageWithoutValues: String {
    guard ["22", "23", "P0", "44"].contains(where: code.hasPrefix) else { return message }
    let place = places.isEmpty ? "" : " (\(places.joined(separator: ", ")))"
    return "the database server refused a value, SQLSTATE \(code)\(place)"
  }
}
