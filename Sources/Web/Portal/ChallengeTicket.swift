import Domain
import Flows

/// How a page of a challenge names it: by the handle of one that has begun, or else by what it is about.
enum ChallengeTicket: Sendable, Equatable {
  case standing(handle: String)
  case new(ResourceURL, Waiting?)

  /// Who waits until it is met.
  enum Waiting: Sendable, Equatable {
    /// An app, with its interaction ticket.
    case app(ticket: String)
    /// An app's authorization request.
    case authorization(handle: String)
  }

  private static let mark = "url."
  private static let authorizationMark = "app."

  /// Reads what ``text`` wrote; `nil` for anything else.
  init?(_ text: String) {
    guard text.hasPrefix(Self.mark) else {
      guard !text.contains("."), Continuation.isPlain(text) else { return nil }
      self = .standing(handle: text)
      return
    }
    let parts = text.dropFirst(Self.mark.count).split(separator: ".", maxSplits: 1).map(String.init)
    guard let url = parts.first.flatMap(ResourceURL.init(ticketText:)) else { return nil }
    self.init(url, waiting: parts.count == 2 ? parts[1] : nil)
  }

  /// Begins with a URL; `waiting` is the ticket that came with it.
  init?(_ url: ResourceURL, waiting: String?) {
    guard let waiting else {
      self = .new(url, nil)
      return
    }
    guard let handle = Self.authorization(waiting) else {
      guard Continuation.isPlain(waiting) else { return nil }
      self = .new(url, .app(ticket: waiting))
      return
    }
    self = .new(url, .authorization(handle: handle))
  }

  private static func authorization(_ text: String) -> String? {
    if case .authorize(let handle) = Continuation(text) { return handle }
    guard text.hasPrefix(authorizationMark) else { return nil }
    let handle = String(text.dropFirst(authorizationMark.count))
    return Continuation.isPlain(handle) ? handle : nil
  }

  var text: String {
    switch self {
    case .standing(let handle): handle
    case .new(let url, let waiting):
      switch waiting {
      case nil: "\(Self.mark)\(url.ticketText)"
      case .app(let ticket): "\(Self.mark)\(url.ticketText).\(ticket)"
      case .authorization(let handle): "\(Self.mark)\(url.ticketText).\(Self.authorizationMark)\(handle)"
      }
    }
  }

  /// What goes on after a sign-in; a URL that is too long to be taken along is asked for again.
  func continuation(_ here: Installation) -> Continuation {
    if Continuation.isPlain(text) { return .challenge(text) }
    guard case .new(let url, let waiting) = self else { return .address }
    let shorter = ResourceURL(url.withoutQuery).map { ChallengeTicket.new($0, waiting).text } ?? ""
    if Continuation.isPlain(shorter) { return .challenge(shorter) }
    if case .app(let text) = waiting, let ticket = here.ticket(text) {
      return .connect(ticket.connection, ticket: text)
    }
    return .address
  }
}
