/// How people sign in to what stands behind Microsoft Entra Application Proxy, beyond what every connection has.
public struct IAPOptions: Sendable, Equatable {
  public var authorizeURL: String
  public var tokenURL: String
  public var logoutURL: String
  /// `prompt` of the sign-in page: `none`, `login`, `consent`, `select_account`; `nil` leaves it to Entra.
  public var prompt: String?
  /// The tenants whose people are let in; of use only where the URLs name `common` or `organizations`.
  public var tenants: [String]

  public init(
    authorizeURL: String, tokenURL: String, logoutURL: String, prompt: String? = nil, tenants: [String] = []
  ) {
    self.authorizeURL = authorizeURL
    self.tokenURL = tokenURL
    self.logoutURL = logoutURL
    self.prompt = prompt
    self.tenants = tenants
  }

  /// The part of Entra's URL paths that stands for people of many organisations.
  public static let sharedTenants: Set = ["common", "organizations"]

  /// Whether `text` is a tenant's id: a GUID in lower case.
  public static func isTenantID(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && parts.joined().utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

/// What the configuration file of the ArcGIS Maps SDKs says about an application proxy, checked as a whole.
public struct IAPConfiguration: Sendable, Equatable {
  public let options: IAPOptions
  /// `https://HOST/TENANT/v2.0`, where the discovery document is found.
  public let origin: String
  public let clientID: String
  public let clientSecret: Secret?
  /// The address that the file's own app comes back to; ours takes its place.
  public let redirectURL: String
  public let scopes: [String]
  public let hosts: [ResourcePattern]

  /// One value of the file.
  public enum Member: Sendable, Equatable {
    case text(String)
    case texts([String])
    case other
  }

  /// Everything that is wrong.
  public struct Failure: Error, Equatable {
    public let objections: [Objection]

    public init(objections: [Objection]) { self.objections = objections }

    /// What is wrong with the file as a whole, in a sentence.
    public init(_ sentence: String) { objections = [Objection(key: nil, text: sentence)] }
  }

  /// What is wrong with one key, as the rest of a sentence that begins with its name; or a sentence about the whole.
  public struct Objection: Sendable, Equatable, CustomStringConvertible {
    public let key: String?
    public let text: String

    public var description: String { key.map { "\($0) \(text)" } ?? text }
  }

  /// Checks the members of a file by their names in it.
  ///
  /// - Parameters:
  ///   - members: What stands in the file.
  ///   - optional: Names that may be missing; nothing else may.
  ///   - allowsEveryHost: Whether `*` as a host is meant, which sends the token everywhere.
  /// - Throws: ``Failure`` with everything that is wrong.
  public init(
    _ members: [String: Member], optional: Set<String> = [], allowsEveryHost: Bool = false
  ) throws(Failure) {
    var reading = Reading(members, optional: optional)
    let authorizeURL = reading.url("authorize_url", endingWith: "/authorize")
    let tokenURL = reading.url("token_url", endingWith: "/token")
    let logoutURL = reading.url("logout_url", endingWith: "/logout")
    clientID = reading.text("client_id")
    redirectURL = reading.redirectURL()
    scopes = reading.scopes()
    hosts = reading.hosts(allowsEveryHost: allowsEveryHost)
    clientSecret = reading.optional("client_secret").map { Secret($0) }
    let prompt = reading.prompt()
    let base = reading.base(of: authorizeURL, tokenURL, logoutURL)
    reading.refuseUnknown()
    guard reading.objections.isEmpty else { throw Failure(objections: reading.objections) }
    origin = base + "/v2.0"
    options = IAPOptions(authorizeURL: authorizeURL, tokenURL: tokenURL, logoutURL: logoutURL, prompt: prompt)
  }

  /// Checks what an administrator typed: the addresses by their names in a file, without what only a file has.
  ///
  /// - Parameters:
  ///   - addresses: Those of one tenant; ``addresses(ofTenant:)`` has Microsoft's.
  ///   - clientID: Of the app that App Proxy publishes.
  ///   - scopes: What to ask for; when empty, what gives an ID token and keeps it fresh.
  ///   - prompt: As in a file.
  /// - Returns: The configuration; its hosts are given elsewhere.
  /// - Throws: ``Failure`` as for a file.
  public static func typed(
    _ addresses: [String: Member], clientID: String, scopes: [String], prompt: String
  ) throws(Failure) -> IAPConfiguration {
    let asked = scopes.isEmpty ? ["\(clientID)/.default", "offline_access", "openid", "profile"] : scopes
    let others: [String: Member] = [
      "client_id": .text(clientID), "scope": .texts(asked), "authorization_prompt_type": .text(prompt),
    ]
    return try IAPConfiguration(
      addresses.merging(others) { _, typed in typed }, optional: ["redirect_url", "hosts_behind_proxy"])
  }

  /// The addresses that Microsoft's worldwide cloud has for a tenant; `nil` when `tenant` is neither an id nor a domain.
  public static func addresses(ofTenant tenant: String) -> [String: Member]? {
    let isName = tenant.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
    }
    guard isName, IAPOptions.isTenantID(tenant.lowercased()) || tenant.dropFirst().dropLast().contains(".") else {
      return nil
    }
    let root = "https://login.microsoftonline.com/\(tenant.lowercased())/oauth2/v2.0"
    return [
      "authorize_url": .text(root + "/authorize"), "token_url": .text(root + "/token"),
      "logout_url": .text(root + "/logout"),
    ]
  }

  /// Takes the file apart key by key and collects what is wrong.
  private struct Reading {
    private let members: [String: Member]
    private let optional: Set<String>
    private(set) var objections: [Objection] = []

    private static let known: Set = [
      "authorize_url", "token_url", "logout_url", "client_id", "redirect_url", "scope", "hosts_behind_proxy",
      "authorization_prompt_type", "client_secret", "iap_client_id",
    ]

    init(_ members: [String: Member], optional: Set<String>) {
      self.members = members
      self.optional = optional
    }

    private mutating func object(_ key: String?, _ text: String) {
      objections.append(Objection(key: key, text: text))
    }

    mutating func text(_ name: String) -> String {
      switch members[name] {
      case .text(let text) where !text.isEmpty: return text
      case nil, .text: if !optional.contains(name) { object(name, "is missing.") }
      case .texts, .other: object(name, "must be a text.")
      }
      return ""
    }

    mutating func optional(_ name: String) -> String? {
      switch members[name] {
      case nil: return nil
      case .text(let text): return text.isEmpty ? nil : text
      case .texts, .other:
        object(name, "must be a text.")
        return nil
      }
    }

    /// An address of Entra's second version; plain http is for this machine alone.
    mutating func url(_ name: String, endingWith end: String) -> String {
      let text = text(name)
      if text.isEmpty { return "" }
      guard let url = ResourceURL(text), url.query.isEmpty, url.isHTTPS || url.isLoopback else {
        object(name, "must be an https address.")
        return ""
      }
      guard url.path.hasSuffix("/oauth2/v2.0" + end), url.path.split(separator: "/").count == 4 else {
        object(name, "must have the form https://HOST/TENANT/oauth2/v2.0\(end).")
        return ""
      }
      return text
    }

    /// What the three addresses have in common: the tenant's root.
    mutating func base(of authorize: String, _ token: String, _ logout: String) -> String {
      func root(_ url: String) -> String {
        ResourceURL(url).map { $0.origin + "/" + ($0.path.split(separator: "/").first ?? "") } ?? ""
      }
      let base = root(authorize)
      for (name, url) in [("token_url", token), ("logout_url", logout)]
      where !base.isEmpty && !url.isEmpty && root(url) != base {
        object(name, "must be of the same host and tenant as the other addresses.")
      }
      return base
    }

    mutating func redirectURL() -> String {
      let text = text("redirect_url")
      if !text.isEmpty, !text.contains(":") { object("redirect_url", "must be an absolute address.") }
      return text
    }

    mutating func scopes() -> [String] {
      let scopes =
        switch members["scope"] {
        case .text(let text): text.split(separator: " ").map(String.init)
        case .texts(let texts): texts
        case nil, .other: [String]()
        }
      if case .other = members["scope"] {
        object("scope", "must be a list of texts.")
      } else if scopes.isEmpty {
        object("scope", "is missing.")
      }
      for scope in scopes where !scope.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) {
        object("scope", "has an entry that is no scope.")
      }
      return scopes
    }

    mutating func hosts(allowsEveryHost: Bool) -> [ResourcePattern] {
      if members["hosts_behind_proxy"] == nil, optional.contains("hosts_behind_proxy") { return [] }
      guard case .texts(let texts) = members["hosts_behind_proxy"], !texts.isEmpty else {
        let isGiven = members["hosts_behind_proxy"] != nil && members["hosts_behind_proxy"] != .texts([])
        object("hosts_behind_proxy", "\(isGiven ? "must be a list of texts" : "is missing").")
        return []
      }
      return texts.compactMap { text in
        if text == "*", !allowsEveryHost {
          object(
            "hosts_behind_proxy", "has *, which would send the token to every host: name the hosts, or confirm it.")
          return nil
        }
        if !text.contains("://"), let pattern = ResourcePattern(text, allowsEveryHost: allowsEveryHost) {
          return pattern
        }
        object("hosts_behind_proxy", "has \(text), which is no host such as *.example.com.")
        return nil
      }
    }

    mutating func prompt() -> String? {
      guard let text = optional("authorization_prompt_type") else { return nil }
      let prompt = text == "selectAccount" ? "select_account" : text.lowercased()
      if ["none", "login", "consent", "select_account"].contains(prompt) { return prompt }
      object("authorization_prompt_type", "must be none, login, consent or select_account.")
      return nil
    }

    mutating func refuseUnknown() {
      for name in members.keys.sorted() where !Self.known.contains(name) {
        object(nil, "There is no key \(name).")
      }
    }
  }
}

extension Connection {
  /// Takes over what a configuration says; the hosts stand beside the resources that are there already.
  public mutating func take(_ configuration: IAPConfiguration) {
    origin = configuration.origin
    clientID = configuration.clientID
    scopes = configuration.scopes
    iap = configuration.options
    resources += configuration.hosts.filter { !resources.contains($0) }
  }
}
