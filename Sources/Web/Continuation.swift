import Domain

/// What goes on after a sign-in; a sign-in page carries it as its ticket, so that no parameter ever holds a URL.
enum Continuation: Sendable, Equatable {
  case account
  case administration
  /// The authorization request of an app, by its handle.
  case authorize(handle: String)
  /// A service that an app waits for, by its interaction ticket.
  case connect(ConnectionID, ticket: String)

  /// Reads a ticket; anything unknown leads to the account page.
  init(_ text: String?) {
    let parts = (text ?? "").split(separator: ":", maxSplits: 2).map(String.init)
    switch parts.first {
    case "admin": self = .administration
    case "app" where parts.count == 2: self = .authorize(handle: parts[1])
    case "connect" where parts.count == 3:
      self = ConnectionID(parts[1]).map { .connect($0, ticket: parts[2]) } ?? .account
    default: self = .account
    }
  }

  var text: String {
    switch self {
    case .account: ""
    case .administration: "admin"
    case .authorize(let handle): "app:\(handle)"
    case .connect(let connection, let ticket): "connect:\(connection):\(ticket)"
    }
  }

  /// The path of ours that goes on with it.
  var path: String {
    switch self {
    case .account: ReturnPath.account
    case .administration: "/admin"
    case .authorize(let handle): "/consent?ticket=\(handle)"
    case .connect(let connection, let ticket): "/connect/\(connection)?ticket=\(ticket)"
    }
  }
}
