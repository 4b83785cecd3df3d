import Domain
import Flows
import HTTP
import Pages

/// The form for a new connection: what was typed, what is wrong with it, and the draft that it makes.
struct NewConnectionForm: Sendable {
  private(set) var page = PageForm()
  /// Makes sense only while the page is not refused; `nil` when not even the kind is known.
  private(set) var draft: Connection?
  private(set) var clientSecret: Secret?
  /// The API key, for the kind that is one.
  private(set) var key: TypedToken?
  /// The field that names the upstream.
  private(set) var originField = ""
  private var secretField = "client_secret"

  private static let textFields = [
    "id", "portal_url", "web_address", "kerberos_realm", "key_distribution_centres", "issuer", "client_id", "kept_days",
    "expires", "referer", "match_url",
  ]

  /// The form before anything was typed.
  init() { fill(Form([("kind", Connection.Kind.oauthUser.rawValue), ("admission", Admission.invited.rawValue)])) }

  /// The form as a template fills it in.
  init(template fields: Form) { fill(fields) }

  /// Reads what was sent.
  init(_ posted: Form, at now: Timestamp) {
    fill(posted)
    clientSecret = posted.nonEmpty("client_secret").map { Secret($0) }
    read(posted, at: now)
    if let draft {
      for objection in CreateConnection.objections(to: draft) { page.refuse(objection.field, Words(objection.text)) }
    }
    if page.isRefused { askForSecretAgain() }
  }

  /// Adds what was found out later, for example by asking the upstream.
  mutating func refuse(_ field: String, _ text: String) {
    page.refuse(field, Words(text))
    if field == "client_secret" { clientSecret = nil }
    if field == "token" { key = nil }
    askForSecretAgain()
  }

  /// Asks whether `draft` covers the URL that was typed.
  mutating func ask(_ posted: Form, _ draft: Connection, _ here: Installation) async throws -> MatchField {
    try await MatchField(posted, draft, here, &page)
  }

  /// A secret never goes back to the browser, and its owner might not notice.
  private mutating func askForSecretAgain() {
    if clientSecret != nil { page.refuse(secretField, "Enter the client secret again: it is not sent back.") }
    clientSecret = nil
    if key != nil { page.refuse("token", "Enter the API key again: it is not sent back.") }
    key = nil
  }

  private mutating func fill(_ posted: Form) {
    func chosen(_ name: String) -> Set<String> { Set(posted.nonEmpty(name).map { [$0] } ?? []) }
    for name in Self.textFields + ApplicationProxyFields.textFields { page.fill(name, with: posted[name] ?? "") }
    if ApplicationProxyFields.holdsSecret(posted) { page.fill("config") }
    page.fillConnectionFields(posted)
    page.fill("token")
    page.choose("service", from: LocationService.allCases.map(\.rawValue), chosen: Set(posted.values(of: "service")))
    page.choose("trust", from: ["on"], chosen: posted.nonEmpty("trust") == nil ? [] : ["on"])
    page.choose("kind", from: Connection.Kind.allCases.map(\.rawValue), chosen: chosen("kind"))
    ProviderFields.fill(&page, posted)
    page.choose("prompt", from: ApplicationProxyFields.prompts, chosen: chosen("prompt"))
    page.choose("every_host", from: ["on"], chosen: posted["every_host"] == "1" ? ["on"] : [])
  }

  private mutating func read(_ posted: Form, at now: Timestamp) {
    func text(_ name: String) -> String { (posted[name] ?? "").trimmed }
    let id = ConnectionID(text("id"))
    if id == nil { page.refuse("id", "Use 1 to 40 of a-z, 0-9 and -, beginning with a letter.") }
    guard let kind = Connection.Kind(rawValue: text("kind")) else { return page.refuse("kind", "Choose a kind.") }
    // A stand-in, so that one look shows everything that is wrong.
    guard let id = id ?? ConnectionID("draft") else { return }
    originField = kind == .oidc ? "issuer" : "portal_url"
    var draft = Connection(
      id: id, name: text("name"), kind: kind, origin: text(originField),
      clientID: kind.hasRegistration ? text("client_id") : "", createdAt: now)
    draft.resources = page.resources(posted, of: kind, allowsEveryHost: posted["every_host"] == "1")
    if kind.connectsInBrowser { page.admission(posted, into: &draft) }
    if !kind.isServiceOwned { draft.longestKeptDays = page.number("kept_days", posted) }
    page.reach(posted, into: &draft)
    // The other kinds' fields are hidden, not empty.
    switch kind {
    case .oauthUser: draft.portal = page.portalOptions(posted, of: kind)
    case .oidc:
      draft.scopes = text("scopes").split { $0.isWhitespace }.map(String.init)
      draft.provider = ProviderFields.read(posted, &page)
      if draft.provider.endpoints != nil { originField = "authorization_endpoint" }
    case .iap: readProxy(posted, into: &draft)
    case .password, .certificate, .kerberos:
      clientSecret = nil
      (originField, draft.origin) = ("web_address", text("web_address"))
      if kind == .kerberos {
        let centres = (posted["key_distribution_centres"] ?? "").filledLines
        draft.network = NetworkOptions()
        draft.network?.kerberos = KerberosOptions(realm: text("kerberos_realm"), centres: centres)
      }
    case .apiKey:
      clientSecret = nil
      draft.resources += posted.values(of: "service").compactMap(LocationService.init).flatMap(\.resources)
      let (typed, objections) = ConnectForm.readToken(posted, at: now) { $0.keyObjections(at: now) }
      key = typed
      for objection in objections { page.refuse(objection.field, Words(objection.text)) }
    case .token, .pregeneratedToken, .oauthApplication:
      if !kind.hasRegistration { clientSecret = nil }
      if kind == .oauthApplication, clientSecret == nil {
        page.refuse("client_secret", "Enter the client secret: without it an application gets no token.")
      }
      draft.portal = page.portalOptions(posted, of: kind)
    }
    self.draft = draft
  }

  private mutating func readProxy(_ posted: Form, into draft: inout Connection) {
    let fields = ApplicationProxyFields(posted)
    originField = fields.originField
    for objection in fields.objections { page.refuse(objection.field, Words(objection.text)) }
    if let configuration = fields.configuration {
      draft.take(configuration)
      draft.iap?.tenants = fields.tenants
    } else {
      // Stand-ins again: what is wrong with them has been said.
      (draft.origin, draft.clientID) = ("https://login.microsoftonline.com", "draft")
    }
    if ApplicationProxyFields.holdsSecret(posted) {
      clientSecret = fields.configuration.map(\.clientSecret) ?? Secret("")
      secretField = "config"
    }
  }
}
