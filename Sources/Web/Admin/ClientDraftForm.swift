import Domain
import Flows
import HTTP
import Pages

/// The form for a client, new or to be changed: what was typed, what is wrong with it, and the draft that it makes.
struct ClientDraftForm: Sendable {
  /// The fields that stand once for every ticked box.
  static let repeatable: Set<String> = ["grant", "scope", "connection", "raw_token", "unattended"]

  private(set) var page = PageForm()
  private(set) var draft: CreateClient.Draft
  private let allowed: Set<String>
  private let rawTokens: Set<String>
  private let unattended: Set<String>
  private var refused: Set<String> = []
  /// Whether an option is set or wrong, so that the options are to be seen.
  private var hasOptions = false

  /// The form before anything was typed.
  ///
  /// A connection that an administrator chooses hands out its raw tokens unless they untick it.
  init(offering connections: [Connection]) {
    let raw = connections.map { ("raw_token", $0.id.text) }
    self.init(filled: Form([("type", Client.Kind.confidential.rawValue)] + raw))
  }

  /// The form with what is registered.
  init(_ client: Client) {
    var fields = [
      ("name", client.name), ("redirect_uris", client.redirectURIs.map(\.text).joined(separator: "\n")),
    ]
    fields += client.grants.map { ("grant", $0.fieldName) } + client.scope.words.map { ("scope", $0) }
    fields += client.permissions.map { ("connection", $0.connection.text) }
    fields += client.permissions.filter(\.handsOutRawTokens).map { ("raw_token", $0.connection.text) }
    fields += client.permissions.filter(\.isUnattended).map { ("unattended", $0.connection.text) }
    self.init(filled: Form(fields + ClientOptionFields.fields(of: client.options)))
    hasOptions = client.options != ClientOptions()
  }

  /// Reads what was sent; `kind` is that of a client that is there already.
  init(_ posted: Form, kind: Client.Kind? = nil) {
    self.init(filled: posted)
    read(posted, kind: kind)
    for objection in draft.objections {
      let isAboutAddress = objection.field == "keys" && posted.nonEmpty("jwks_uri") != nil
      let field = isAboutAddress ? "jwks_uri" : objection.field
      if !refused.contains(field) { refuse(field, objection.text) }
    }
    hasOptions = draft.options != ClientOptions() || !refused.isDisjoint(with: ClientOptionFields.names)
  }

  /// What the page fills the form with.
  func slots(_ connections: [Connection]) -> PageContext.Object {
    page.slots.merging([
      "options_open": .flag(hasOptions), "connections": .list(connections.map(slots(of:))),
    ])
  }

  private init(filled posted: Form) {
    allowed = Set(posted.values(of: "connection"))
    rawTokens = Set(posted.values(of: "raw_token"))
    unattended = Set(posted.values(of: "unattended"))
    draft = CreateClient.Draft(
      name: (posted["name"] ?? "").trimmed, kind: .confidential, grants: [], redirectURIs: [], scope: .none,
      permissions: [])
    page.fill("name", with: posted["name"] ?? "")
    page.fill("redirect_uris", with: posted["redirect_uris"] ?? "")
    page.choose(
      "type", from: Client.Kind.allCases.map(\.rawValue), chosen: Set(posted.nonEmpty("type").map { [$0] } ?? []))
    page.choose("grant", from: Client.Grant.allCases.map(\.fieldName), chosen: Set(posted.values(of: "grant")))
    page.choose(
      "scope", from: Scope.known.map(Scope.slot), chosen: Set(posted.values(of: "scope").map(Scope.slot)))
    page.fill("connection")
    ClientOptionFields.fill(&page, posted)
  }

  mutating func refuse(_ field: String, _ text: String) {
    page.refuse(field, Words(text))
    refused.insert(field)
  }

  /// What the page lists of a connection.
  private func slots(of connection: Connection) -> PageContext {
    .object(
      connection.slots.merging([
        "allowed": .flag(allowed.contains(connection.id.text)),
        "raw_token": .flag(rawTokens.contains(connection.id.text)),
        "unattended": .flag(unattended.contains(connection.id.text)),
        "personal": .flag(!connection.kind.isServiceOwned),
      ]))
  }

  private mutating func read(_ posted: Form, kind: Client.Kind?) {
    if let kind = kind ?? Client.Kind(rawValue: posted["type"] ?? "") {
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
          "redirect_uris", "\(line) cannot be a redirect URI: use \(RedirectURI.rule).")
      }
    }
    if let scope = Scope(posted.values(of: "scope").joined(separator: " ")) {
      draft.scope = scope
    } else {
      refuse("scope", "A scope holds a character that none may have.")
    }
    draft.permissions = allowed.sorted().compactMap(ConnectionID.init).map {
      Client.Permission(
        connection: $0, handsOutRawTokens: rawTokens.contains($0.text), isUnattended: unattended.contains($0.text))
    }
    let (options, objections) = ClientOptionFields.read(posted)
    draft.options = options
    for objection in objections { refuse(objection.field, objection.text) }
  }
}

extension Client.Grant {
  /// What the form calls it: a word that a page can name a slot by.
  fileprivate var fieldName: String { self == .tokenExchange ? "token_exchange" : shortName }
}
