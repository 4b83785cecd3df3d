public import Domain
public import JSON
import Storage

/// What an administrator starts a connection to a known provider from: its addresses, usual scopes and quirks.
public struct ProviderTemplate: Sendable, Equatable {
  /// The name of its file: `keycloak`.
  public let id: String
  public let name: String
  /// What stands in braces in its addresses, in the order in which it is asked for.
  public let placeholders: [Placeholder]
  /// `nil` for a provider without discovery.
  public let issuer: String?
  public let options: ProviderOptions
  public let scopes: [String]
  /// What tokens are good for; empty is the provider itself.
  public let resources: [String]
  /// What to register at the provider, in plain sentences.
  public let registration: String
  /// The provider's own page about it.
  public let documentation: String

  /// Something that differs from one installation of a provider to the next.
  public struct Placeholder: Sendable, Equatable {
    public let name: String
    /// In words, with an example.
    public let meaning: String
    public let standard: String?
  }

  /// Why a file is no template, in a sentence that names the file.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    public let description: String
  }

  /// Reads the file of the template `id`.
  ///
  /// Every member must be one that is understood, so that no quirk is silently without effect.
  public init(id: String, _ json: JSONValue) throws(Failure) {
    func text(_ name: String) throws(Failure) -> String {
      guard let text = json.string(name), !text.isEmpty else { throw Self.failure(id, "has no \(name)") }
      return text
    }
    self.id = id
    name = try text("name")
    registration = try text("registration")
    documentation = try text("documentation")
    issuer = json.string("issuer")
    options = ProviderOptions(json)
    scopes = json.strings("scopes") ?? []
    resources = json.strings("resources") ?? []
    placeholders = (json.array("placeholders") ?? []).compactMap(Placeholder.init)
    guard (issuer == nil) != (options.endpoints == nil) else {
      throw Self.failure(id, "must have either an issuer or endpoints")
    }
    guard let members = json.object, Set(members.map(\.name)).isSubset(of: Self.members) else {
      throw Self.failure(id, "has members that mean nothing")
    }
    let understood = JSONWriter.object { options.write(to: &$0) }
    guard let read = try? JSONValue(parsing: understood), read["quirks"] == json["quirks"],
      read["endpoints"] == json["endpoints"], placeholders.count == json.array("placeholders")?.count ?? 0
    else { throw Self.failure(id, "has endpoints, quirks or placeholders that mean nothing, or are as without them") }
    guard Set(addresses.flatMap(Self.braced)).subtracting(["client_id"]) == Set(placeholders.map(\.name)) else {
      throw Self.failure(id, "has other placeholders in its addresses than those it explains")
    }
  }

  private static let members: Set = [
    "name", "issuer", "endpoints", "placeholders", "scopes", "resources", "quirks", "registration", "documentation",
  ]

  private static func failure(_ id: String, _ reason: String) -> Failure {
    Failure(description: "The provider template \(id) \(reason).")
  }
}

extension ProviderTemplate {
  /// Whether it is for no provider in particular, so that its name says nothing.
  public var isForAny: Bool { id == ProviderTemplates.generic }
}

extension ProviderTemplate.Placeholder {
  fileprivate init?(_ json: JSONValue) {
    guard let name = json.string("name"), let meaning = json.string("meaning") else { return nil }
    self.init(name: name, meaning: meaning, standard: json.string("standard"))
  }
}

// MARK: - Filling in

extension ProviderTemplate {
  private var addresses: [String] { [issuer].compactMap { $0 } + (options.endpoints?.all ?? []) + resources }

  /// The words in braces in `text`, such as `host` in `https://{host}/realms/{realm}`.
  static func braced(_ text: String) -> [String] {
    text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { part in
      part.contains("}") ? part.split(separator: "}", omittingEmptySubsequences: false).first.map(String.init) : nil
    }
  }

  /// The first placeholder of `draft` that nobody has filled in.
  public static func unfilled(in draft: Connection) -> String? {
    ([draft.origin] + (draft.provider.endpoints?.all ?? []))
      .flatMap(braced).first { $0 != "client_id" && !$0.isEmpty && $0 != "tenantid" }
  }

  /// The template with `values` in place of its placeholders; those without a value get the usual one, or stay.
  public func filled(with values: [String: String]) -> ProviderTemplate {
    var known = values.mapValues { $0.trimmingSpace }.filter { !$0.value.isEmpty }
    for one in placeholders where known[one.name] == nil { known[one.name] = one.standard }
    return ProviderTemplate(self) { Self.fill($0, known) }
  }

  /// A whole address in place of a host brings its scheme, since that is what people copy from their browser.
  private static func fill(_ pattern: String, _ values: [String: String]) -> String {
    values.sorted { $0.key < $1.key }.reduce(pattern) { text, value in
      let (mark, plain) = ("{\(value.key)}", value.value.hasSuffix("/") ? String(value.value.dropLast()) : value.value)
      guard value.value.contains("://") else { return text.replacing(mark, with: value.value) }
      return text.replacing("https://\(mark)", with: plain).replacing(mark, with: value.value)
    }
  }

  private init(_ template: ProviderTemplate, _ fill: (String) -> String) {
    id = template.id
    name = template.name
    placeholders = template.placeholders
    issuer = template.issuer.map(fill)
    var filled = template.options
    if let endpoints = template.options.endpoints {
      filled.endpoints = OAuthEndpoints(
        authorization: fill(endpoints.authorization), token: fill(endpoints.token),
        revocation: endpoints.revocation.map(fill), user: fill(endpoints.user),
        subjectMember: endpoints.subjectMember, nameMember: endpoints.nameMember)
    }
    options = filled
    scopes = template.scopes
    resources = template.resources.map(fill)
    registration = template.registration
    documentation = template.documentation
  }
}

extension String {
  fileprivate var trimmingSpace: String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}

/// The templates that stand beside the pages.
public struct ProviderTemplates: Sendable {
  /// By name, the one for any provider last.
  public let all: [ProviderTemplate]

  public init(_ all: [ProviderTemplate] = []) {
    self.all = all.sorted { ($0.id == Self.generic ? 1 : 0, $0.name) < ($1.id == Self.generic ? 1 : 0, $1.name) }
  }

  static let generic = "generic"

  public subscript(id: String) -> ProviderTemplate? { all.first { $0.id == id } }
}
