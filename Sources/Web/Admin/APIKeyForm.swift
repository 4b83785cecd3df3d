import Domain
import Flows
import HTTP
import Pages

/// The form for a new API key: what was typed, what is wrong with it, and the draft that it makes.
struct APIKeyForm: Sendable {
  /// The field that stands once for every ticked box.
  static let repeatable: Set<String> = ["connection"]

  private static let lines = ["resource", "referrer", "network"]
  private static let numbers = ["longest_answer", "per_minute", "per_day"]

  private(set) var page = PageForm()
  let chosen: Set<String>

  /// `nil` as long as something is wrong.
  private(set) var draft: ManageAPIKeys.Draft?
  /// What a key that there is shall become; `nil` as long as something is wrong.
  private(set) var edit: APIKeyEdit?

  /// The form before anything was typed.
  init() { self.init(filled: Form([("kind", ClientAPIKey.Kind.secret.rawValue), ("days", "90")])) }

  /// Reads what was sent.
  init(_ posted: Form) {
    self.init(filled: posted)
    draft = read(posted)
  }

  /// The form of a key as it stands.
  init(_ key: ClientAPIKey) {
    let (scope, limits) = (key.scope, key.limits)
    func text(_ number: Int64?) -> String { number.map { "\($0)" } ?? "" }
    self.init(
      filled: Form(
        [
          ("name", key.name), ("method", scope.methods.joined(separator: ", ")),
          ("resource", scope.resources.map(\.text).joined(separator: "\n")),
          ("longest_answer", text(scope.longestAnswer)),
          ("referrer", limits.referrers.map(\.text).joined(separator: "\n")),
          ("network", limits.networks.joined(separator: "\n")),
          ("per_minute", text(limits.perMinute)), ("per_day", text(limits.perDay)),
        ] + scope.connections.map { ("connection", $0.text) }))
    page.fill("method", with: scope.methods.joined(separator: ", "))
  }

  /// Reads what was sent to change a key.
  init(edited posted: Form) {
    self.init(filled: posted)
    page.fill("method", with: posted["method"] ?? "")
    let (resources, referrers) = (patterns("resource", posted), patterns("referrer", posted))
    let numbers = numbers(posted)
    guard !page.isRefused else { return }
    let methods = (posted["method"] ?? "").uppercased().split { $0 == "," || $0.isWhitespace }.map(String.init)
    edit = APIKeyEdit(
      name: (posted["name"] ?? "").trimmed,
      scope: scope(resources, methods, numbers), limits: limits(referrers, posted, numbers))
  }

  private init(filled posted: Form) {
    chosen = Set(posted.values(of: "connection"))
    for name in ["name", "days"] + Self.lines + Self.numbers { page.fill(name, with: posted[name] ?? "") }
    let kind = posted.nonEmpty("kind").map { Set([$0]) } ?? []
    page.choose("kind", from: ClientAPIKey.Kind.allCases.map(\.rawValue), chosen: kind)
    page.choose("method", from: ["reading"], chosen: posted["method"] == "reading" ? ["reading"] : [])
    page.fill("connection")
  }

  mutating func refuse(_ objections: [(field: String, text: String)]) {
    for objection in objections { page.refuse(page.has(objection.field) ? objection.field : "", Words(objection.text)) }
  }

  private mutating func read(_ posted: Form) -> ManageAPIKeys.Draft? {
    let kind = ClientAPIKey.Kind(rawValue: posted["kind"] ?? "")
    if kind == nil { page.refuse("kind", "Choose what the key is for.") }
    let resources = patterns("resource", posted)
    let referrers = patterns("referrer", posted)
    let numbers = numbers(posted)
    let days = Int64((posted["days"] ?? "").trimmed)
    if days == nil { page.refuse("days", "Enter a whole number of days, from 1 to 365.") }
    guard let kind, let days, !page.isRefused else { return nil }
    let isReading = posted["method"] == "reading" || kind == .publishable
    return ManageAPIKeys.Draft(
      name: (posted["name"] ?? "").trimmed, kind: kind,
      scope: scope(resources, isReading ? APIKeyScope.readingMethods : [], numbers),
      limits: limits(referrers, posted, numbers), days: days)
  }

  private func scope(
    _ resources: [ResourcePattern], _ methods: [String], _ numbers: [String: Int64?]
  ) -> APIKeyScope {
    APIKeyScope(
      connections: chosen.sorted().compactMap(ConnectionID.init), resources: resources, methods: methods,
      longestAnswer: numbers["longest_answer"] ?? nil)
  }

  private func limits(
    _ referrers: [ResourcePattern], _ posted: Form, _ numbers: [String: Int64?]
  ) -> APIKeyLimits {
    APIKeyLimits(
      referrers: referrers, networks: (posted["network"] ?? "").filledLines, perMinute: numbers["per_minute"] ?? nil,
      perDay: numbers["per_day"] ?? nil)
  }

  private mutating func numbers(_ posted: Form) -> [String: Int64?] {
    var numbers: [String: Int64?] = [:]
    for name in Self.numbers { numbers.updateValue(number(name, posted), forKey: name) }
    return numbers
  }

  private mutating func patterns(_ field: String, _ posted: Form) -> [ResourcePattern] {
    (posted[field] ?? "").filledLines.compactMap { line in
      if let pattern = ResourcePattern(line) { return pattern }
      page.refuse(
        field, "\(line) is no beginning of a URL such as https://host/path, and no host such as *.example.org.")
      return nil
    }
  }

  private mutating func number(_ field: String, _ posted: Form) -> Int64? {
    let text = (posted[field] ?? "").trimmed
    guard !text.isEmpty else { return nil }
    if let number = Int64(text), number > 0 { return number }
    page.refuse(field, "Enter a whole number, or leave it empty.")
    return nil
  }
}
