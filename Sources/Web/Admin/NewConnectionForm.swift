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
    "name", "id", "portal_url", "web_address", "kerberos_realm",
    "key_distribution_centres", "issuer", "client_id", "resources", "admitted", "refresh_token_lifetime",
    "exchange_interval", "federated_minutes", "token_minutes", "locale", "networks", "scopes",
    "kept_days", "expires", "referer", "match_url",
  ]
  private static let switches = ["allow_http", "force_login", "every_host"]

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
    for name in ["client_secret", "token"] { page.fill(name) }
    page.choose("service", from: LocationService.allCases.map(\.rawValue), chosen: Set(posted.values(of: "service")))
    page.choose("trust", from: ["on"], chosen: posted.nonEmpty("trust") == nil ? [] : ["on"])
    page.choose("kind", from: Connection.Kind.allCases.map(\.rawValue), chosen: chosen("kind"))
    page.choose("admission", from: Admission.allCases.map(\.rawValue), chosen: chosen("admission"))
    page.choose("page_style", from: ["light", "dark"], chosen: chosen("page_style"))
    ProviderFields.fill(&page, posted)
    page.choose("prompt", from: ApplicationProxyFields.prompts, chosen: chosen("prompt"))
    for name in Self.switches { page.choose(name, from: ["on"], chosen: posted[name] == "1" ? ["on"] : []) }
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
    draft.resources = resources(posted["resources"] ?? "", of: kind, allowsEveryHost: posted["every_host"] == "1")
    if kind.connectsInBrowser { readAdmission(posted, into: &draft) }
    if !kind.isServiceOwned { draft.longestKeptDays = number("kept_days", posted) }
    draft.reach.networks = networks(posted["networks"] ?? "")
    draft.reach.allowsHTTP = posted["allow_http"] == "1"
    // The other kinds' fields are hidden, not empty.
    switch kind {
    case .oauthUser: draft.portal = portalOptions(posted)
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
      if let minutes = number("federated_minutes", posted) { draft.portal.federatedTokenMinutes = minutes }
      if kind != .pregeneratedToken, let minutes = number("token_minutes", posted) {
        draft.portal.tokenMinutes = minutes
      }
    }
    self.draft = draft
  }

  private mutating func readAdmission(_ posted: Form, into draft: inout Connection) {
    if let admission = Admission(rawValue: (posted["admission"] ?? "").trimmed) {
      draft.admission = admission
    } else {
      page.refuse("admission", "Choose who may get an account.")
    }
    draft.admitted = (posted["admitted"] ?? "").filledLines
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

  private mutating func resources(
    _ typed: String, of kind: Connection.Kind, allowsEveryHost: Bool
  ) -> [ResourcePattern] {
    typed.filledLines.compactMap { line in
      if let pattern = ResourcePattern(line, allowsEveryHost: kind == .iap && allowsEveryHost) { return pattern }
      if line == "*", kind == .iap {
        page.refuse("resources", "* would send the token to every host: name the hosts, or say below that it is meant.")
        return nil
      }
      page.refuse("resources", "\(line) is neither a URL prefix nor a host pattern such as *.example.com.")
      return nil
    }
  }

  private mutating func networks(_ typed: String) -> [String] {
    typed.filledLines.filter { line in
      if AddressRange(line) != nil { return true }
      page.refuse("networks", "\(line) is no network such as 10.20.0.0/16.")
      return false
    }
  }

  private mutating func portalOptions(_ posted: Form) -> PortalOptions {
    var options = PortalOptions()
    options.refreshTokenMinutes = number("refresh_token_lifetime", posted)
    if let hours = number("exchange_interval", posted) { options.exchangeBelowSeconds = hours * 3600 }
    if let minutes = number("federated_minutes", posted) { options.federatedTokenMinutes = minutes }
    options.locale = posted.nonEmpty("locale").map(\.trimmed)
    switch posted["page_style"] {
    case nil, "": break
    case "light", "dark": options.style = posted["page_style"]
    default: page.refuse("page_style", "Choose light, dark or neither.")
    }
    options.forcesLogin = posted["force_login"] == "1"
    return options
  }

  /// A whole number small enough to calculate with, or `nil` for an empty field.
  private mutating func number(_ name: String, _ posted: Form) -> Int64? {
    guard let typed = posted.nonEmpty(name)?.trimmed, !typed.isEmpty else { return nil }
    if let number = Int64(typed), (-1...1_000_000_000).contains(number) { return number }
    page.refuse(name, "Enter a whole number, or leave it empty.")
    return nil
  }
}
