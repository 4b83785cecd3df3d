import Domain
import Flows
import HTTP
import Pages

/// The form for a new client: what was typed, what is wrong with it, and the draft that it makes.
struct NewClientForm: Sendable {
  /// The fields that stand once for every ticked box.
  static let repeatable: Set<String> = ["grant", "scope", "connection", "raw_token"]

  private(set) var page = PageForm()
  private(set) var draft: CreateClient.Draft
  private let allowed: Set<String>
  private let rawTokens: Set<String>
  private var refused: Set<String> = []

  private static let grants = [
    "authorization_code", "refresh_token", "device_code", "client_credentials", "token_exchange",
  ]

  /// The form before anything was typed.
  ///
  /// A connection that an administrator chooses hands out its raw tokens unless they untick it.
  init(offering connections: [Connection]) {
    let raw = connections.map { ("raw_token", $0.id.text) }
    self.init(filled: Form([("type", Client.Kind.confidential.rawValue)] + raw))
  }

  /// Reads what was sent.
  init(_ posted: Form) {
    self.init(filled: posted)
    read(posted)
    for objection in draft.objections where !refused.contains(objection.field) {
      page.refuse(objection.field, objection.text)
    }
  }

  private init(filled posted: Form) {
    allowed = Set(posted.values(of: "connection"))
    rawTokens = Set(posted.values(of: "raw_token"))
    draft = CreateClient.Draft(
      name: (posted["name"] ?? "").trimmed, kind: .confidential, grants: [], redirectURIs: [], scope: .none,
      permissions: [])
    page.fill("name", with: posted["name"] ?? "")
    page.fill("redirect_uris", with: posted["redirect_uris"] ?? "")
    page.choose(
      "type", from: Client.Kind.allCases.map(\.rawValue), chosen: Set(posted.nonEmpty("type").map { [$0] } ?? []))
    page.choose("grant", from: Self.grants, chosen: Set(posted.values(of: "grant")))
    page.choose("scope", from: Scope.known, chosen: Set(posted.values(of: "scope")))
    page.fill("connection")
  }

  mutating func refuse(_ field: String, _ text: String) {
    page.refuse(field, text)
    refused.insert(field)
  }

  /// What the page lists of a connection.
  func slots(of connection: Connection) -> PageContext {
    .object(
      connection.slots.merging([
        "allowed": .flag(allowed.contains(connection.id.text)),
        "raw_token": .flag(rawTokens.contains(connection.id.text)),
      ]))
  }

  private mutating func read(_ posted: Form) {
    if let kind = Client.Kind(rawValue: posted["type"] ?? "") {
      draft.kind = kind
    } else {
      refuse("type", "Choose confidential or public.")
    }
    for name in posted.values(of: "grant") {
      if let grant = Client.Grant(name: name) {
        if !draft.grants.contains(grant) { draft.grants.append(grant) }
      } else {
        refuse("grant", "The grant \(name) is not offered yet.")
      }
    }
    for line in (posted["redirect_uris"] ?? "").filledLines {
      if let uri = RedirectURI(line) {
        draft.redirectURIs.append(uri)
      } else {
        refuse(
          "redirect_uris", "\(line) cannot be a redirect URI: use https, or http on localhost, without a fragment.")
      }
    }
    if let scope = Scope(posted.values(of: "scope").joined(separator: " ")) {
      draft.scope = scope
    } else {
      refuse("scope", "A scope holds a character that none may have.")
    }
    draft.permissions = allowed.sorted().compactMap(ConnectionID.init).map {
      Client.Permission(connection: $0, handsOutRawTokens: rawTokens.contains($0.text))
    }
  }
}
