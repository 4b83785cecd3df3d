import Domain

/// What goes on after a sign-in; a sign-in page carries it as its ticket, so that no parameter ever holds a URL.
enum Continuation: Sendable, Equatable {
  case account
  /// The administration; `page` is the path of ours, with its query, that was asked for there.
  case administration(page: String? = nil)
  /// A page on which people change what protects their account, which takes a fresh sign-in.
  case security(SecurityPage)
  /// The authorization request of an app, by its handle.
  case authorize(handle: String)
  /// A service that an app waits for, by its interaction ticket.
  case connect(ConnectionID, ticket: String)
  /// A way through the layers of a URL (``ChallengeTicket``).
  case challenge(String)
  /// The page that asks for such a URL.
  case address
  /// The page that asks for the code of a device, or has it.
  case device(UserCode?)

  /// Reads a ticket; anything unknown leads to the account page.
  init(_ text: String?) {
    let parts = (text ?? "").split(separator: ":", maxSplits: 2).map(String.init)
    switch parts.first {
    case "admin":
      let page = (text ?? "").dropFirst("admin:".count)
      self = .administration(page: Self.isAdministrationPage(page) ? String(page) : nil)
    case "security": self = .security(parts.count == 2 ? SecurityPage(rawValue: parts[1]) ?? .overview : .overview)
    case "app" where parts.count == 2 && Self.isPlain(parts[1]): self = .authorize(handle: parts[1])
    case "connect" where parts.count == 3 && Self.isPlain(parts[2]):
      self = ConnectionID(parts[1]).map { .connect($0, ticket: parts[2]) } ?? .account
    case "challenge" where parts.count == 2 && Self.isPlain(parts[1]): self = .challenge(parts[1])
    case "address": self = .address
    case "device": self = .device(parts.count == 2 ? UserCode(typed: parts[1]) : nil)
    default: self = .account
    }
  }

  var isForAdministration: Bool { if case .administration = self { true } else { false } }

  /// Whether `path` leads to the administration however a browser reads it.
  static func isAdministrationPage(_ path: some StringProtocol) -> Bool {
    guard path.hasPrefix("/admin/") || path.hasPrefix("/admin?"), path.utf8.count <= 600 else { return false }
    let isDotted = path.contains("..") || path.contains("/.") || path.lowercased().contains("%2e")
    return !isDotted && !path.contains("//")
      && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\\\"<>#^`{|}".utf8.contains($0) }
  }

  /// Whether `text` has the form of our handles and tickets, so that it can stand in a link as it is.
  static func isPlain(_ text: String) -> Bool {
    (1...900).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
          || "-_.".utf8.contains($0)
      }
  }

  var text: String {
    switch self {
    case .account: ""
    case .administration(let page): page.map { "admin:\($0)" } ?? "admin"
    case .security(let page): page == .overview ? "security" : "security:\(page.rawValue)"
    case .authorize(let handle): "app:\(handle)"
    case .connect(let connection, let ticket): "connect:\(connection):\(ticket)"
    case .challenge(let ticket): "challenge:\(ticket)"
    case .address: "address"
    case .device(let code): code.map { "device:\($0.letters)" } ?? "device"
    }
  }

  /// The path of ours that goes on with it.
  var path: String {
    switch self {
    case .account: ReturnPath.account
    case .administration(let page): page ?? "/admin"
    case .security(let page): page.path
    case .authorize(let handle): "/consent?ticket=\(handle)"
    case .connect(let connection, let ticket): "/connect/\(connection)?ticket=\(ticket)"
    case .challenge(let ticket): "/connect?ticket=\(ticket)"
    case .address: "/connect"
    case .device(let code): code.map { "/device?user_code=\($0.letters)" } ?? "/device"
    }
  }
}
