import Domain
import Flows
import HTTP
import Pages

/// The form that changes a connection: what was typed, what is wrong with it, and the draft that it makes.
struct EditConnectionForm: Sendable {
  private(set) var page = PageForm()
  /// Makes sense only while the page is not refused.
  private(set) var draft: Connection
  /// `nil` where the one before stays.
  private(set) var clientSecret: Secret?

  /// The form with what counts now.
  init(_ connection: Connection) {
    draft = connection
    page.fillConnectionFields(Form(Self.fields(of: connection)))
  }

  /// Reads what was sent.
  init(_ posted: Form, changing before: Connection) {
    draft = before
    page.fillConnectionFields(posted)
    draft.name = (posted["name"] ?? "").trimmed
    let coversEveryHost = before.resources.contains { $0.text == "*" }
    draft.resources = page.resources(posted, of: before.kind, allowsEveryHost: coversEveryHost)
    page.reach(posted, into: &draft)
    if before.kind == .oidc {
      draft.scopes = (posted["scopes"] ?? "").split { $0.isWhitespace }.map(String.init)
    }
    if before.kind.connectsInBrowser {
      page.admission(posted, into: &draft)
      clientSecret = posted.nonEmpty("client_secret").map { Secret($0) }
    }
    if before.kind.isPortal { draft.portal = page.portalOptions(posted, of: before.kind) }
    if draft.resources.isEmpty, !page.isRefused {
      page.refuse("resources", "Name what it covers: without a resource nothing gets a token of it.")
    }
    for objection in CreateConnection.objections(to: draft) { page.refuse(objection.field, Words(objection.text)) }
    if page.isRefused { askForSecretAgain() }
  }

  /// Adds what was found out later.
  mutating func refuse(_ field: String, _ text: String) {
    page.refuse(field, Words(text))
    askForSecretAgain()
  }

  private mutating func askForSecretAgain() {
    if clientSecret != nil { page.refuse("client_secret", "Enter the client secret again: it is not sent back.") }
    clientSecret = nil
  }

  /// The fields as ``init(_:changing:)`` would read the connection from them.
  private static func fields(of connection: Connection) -> [(String, String)] {
    func lines(_ items: [String]) -> String { items.joined(separator: "\n") }
    let portal = connection.portal
    return [
      ("name", connection.name), ("resources", lines(connection.resources.map(\.text))),
      ("scopes", connection.scopes.joined(separator: " ")), ("networks", lines(connection.reach.networks)),
      ("allow_http", connection.reach.allowsHTTP ? "1" : ""), ("admission", connection.admission.rawValue),
      ("admitted", lines(connection.admitted)),
      ("refresh_token_lifetime", portal.refreshTokenMinutes.map(String.init) ?? ""),
      ("exchange_interval", String(portal.exchangeBelowSeconds / 3600)),
      ("federated_minutes", String(portal.federatedTokenMinutes)), ("token_minutes", String(portal.tokenMinutes)),
      ("locale", portal.locale ?? ""), ("page_style", portal.style ?? ""),
      ("force_login", portal.forcesLogin ? "1" : ""),
    ]
  }
}
