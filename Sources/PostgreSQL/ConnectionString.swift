public import SQL

/// Where a database is and how to get there, as libpq reads it (PostgreSQL manual, "Connection Strings").
///
/// It may hold a password, so that it is neither printed nor quoted in an error.
public struct ConnectionString: Sendable, CustomStringConvertible {
  private let text: String
  /// User, server and database, in words that may be logged.
  public let description: String

  /// Reads a URI (`postgresql://…`) or a list of settings (`host=… dbname=…`).
  ///
  /// - Throws: ``DatabaseError/failed(code:message:)`` with a sentence for the administrator: it cannot be read, or it
  ///   leads to another machine without saying how the way there is protected.
  public init(_ text: String) throws(DatabaseError) {
    guard !Self.hasBareSign(text), let settings = ServerConnection.settings(in: text) else {
      throw Self.refusal(
        "the connection string cannot be read; write postgresql://USER:PASSWORD@HOST/DATABASE, with special "
          + "characters of the password percent-encoded, or host=HOST dbname=DATABASE user=USER password='PASSWORD'")
    }
    let hosts = (settings["host"] ?? settings["hostaddr"] ?? "").split(separator: ",")
    if settings["sslmode"] == nil, let far = hosts.first(where: { !Self.isHere($0) }) {
      throw Self.refusal(
        "the connection string leads to \(far) without saying how the way there is protected; add sslmode=verify-full, "
          + "with sslrootcert=FILE where the server's certificate is not from a public authority")
    }
    self.text = text
    let place = hosts.isEmpty ? "this machine" : hosts.joined(separator: ",")
    description = "the database \(settings["dbname"] ?? settings["user"] ?? "of this user") on \(place)"
  }

  /// Whether an unescaped @ in a password would make libpq take its end for a host, and name that in an error.
  private static func hasBareSign(_ text: String) -> Bool {
    guard let scheme = text.firstRange(of: "://") else { return false }
    return text[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }.count { $0 == "@" } > 1
  }

  /// Whether nobody else can listen on the way to `host`: a socket's directory, or this machine by its own address.
  private static func isHere(_ host: Substring) -> Bool {
    host.first == "/" || host.first == "@" || ["localhost", "::1"].contains(host) || host.hasPrefix("127.")
  }

  private static func refusal(_ message: String) -> DatabaseError { .failed(code: "connection", message: message) }

  /// What libpq is given; later settings count before earlier ones, and `dbname` is the whole string.
  var parameters: [(name: String, value: String)] {
    Self.defaults + [("dbname", text), ("client_encoding", "UTF8")]
  }

  /// Times in seconds, the last in milliseconds: a way that leads nowhere any more is given up after half a minute at most.
  ///
  /// Tickets that this machine has for others are not used to encrypt.
  static let defaults: [(name: String, value: String)] = [
    ("fallback_application_name", "gatehouse"), ("connect_timeout", "5"), ("gssencmode", "disable"),
    ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "15000"),
  ]
}
