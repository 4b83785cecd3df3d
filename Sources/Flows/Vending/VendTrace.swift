import Domain
import Synchronization

/// What a vend finds at each question, for somebody who wants to know why; a vend that hands something out keeps none.
final class VendTrace: Sendable {
  /// What the person is called; `nil` for a client that acts for itself.
  private let person: String?
  private let written = Mutex<[VendStep]>([])

  init(person: String?) { self.person = person }

  var steps: [VendStep] { written.withLock { $0 } }

  func passed(_ question: VendStep.Question, _ finding: String) { add(VendStep(question, .passed, finding)) }

  func noted(_ question: VendStep.Question, _ finding: String) { add(VendStep(question, .noted, finding)) }

  func refused(_ question: VendStep.Question, _ finding: String) { add(VendStep(question, .refused, finding)) }

  private func add(_ step: VendStep) { written.withLock { $0.append(step) } }

  /// Which connections cover the URL, and which of them the vend takes.
  func tell(of layers: VendLayers?, _ request: VendRequest, _ known: LayeredConnections, _ client: Client) {
    let standing = person.map { "\($0) has an account that is not disabled." }
    passed(.person, standing ?? "\(client.name) acts for itself, with what Gatehouse itself holds.")
    let covers = Cover.all(of: request.resource, among: known)
    for cover in covers {
      if let role = layers?.role(of: cover.connection.id) {
        passed(.connection, "\(cover.words): \(role).")
      } else {
        noted(.connection, "\(cover.words), \(cover.loss(request, client, covers)).")
      }
    }
    guard layers == nil else { return }
    let isTie = covers.contains { $0.isBest && !$0.connection.isDisabled }
    refused(
      .connection,
      isTie ? "No single connection is the one that the URL belongs to." : "No connection covers the URL.")
  }

  /// What the rule says of one connection.
  func tell(of connection: Connection, _ request: VendRequest, _ client: Client, _ objection: VendRule.Objection?) {
    let (app, name) = (client.name, connection.name)
    let (who, isJob) = (person ?? "The person", request.unattended != nil)
    let isHandedOut = client.permission(for: connection.id)?.handsOutRawTokens(of: connection) ?? false
    let answers: [(VendStep.Question, passed: String?, refused: String)] = [
      (
        .permission, "\(app) may use \(name)\(isHandedOut ? ", and get its tokens" : " by the proxy only").",
        "\(app) may not use \(name): an administrator has to allow it."
      ), (.connection, nil, "\(name) is switched off."),
      (
        .pinned, isJob ? "An administrator lets jobs of \(app) use \(name) unattended." : nil,
        "Jobs of \(app) may not use \(name) unattended: an administrator has to allow it."
      ),
      (.person, nil, "\(app) acts for itself, but people connect \(name): it has to ask for one of them."),
      (
        .consent,
        connection.kind.isServiceOwned
          ? "\(name) needs nobody's consent: its credential is Gatehouse's own."
          : "\(who) allowed \(app) to use \(name).",
        "\(who) has not allowed \(app) to use \(name)."
      ),
      (
        .unattendedConsent, isJob ? "\(who) allowed \(app) to use \(name) while they are away." : nil,
        "\(who) has not allowed \(app) to use \(name) while they are away."
      ), (.layers, nil, "The app asks for another connection by its audience."),
    ]
    for (question, text, reason) in answers {
      if objection?.question == question { return refused(question, reason) }
      if let text { passed(question, text) }
    }
  }

  /// Whether the API key, if one is shown, reaches the URL.
  func tell(of key: ClientAPIKey?, _ refusal: Refusal?) {
    guard let key else { return }
    if let refusal { return refused(.key, refusal.description) }
    let shown = key.token.map { "The token \($0.id) of the API key \(key.name)" } ?? "The API key \(key.name)"
    passed(.key, "\(shown) reaches it.")
  }

  /// What stands in front of the service, from the outside in.
  func tell(ofLayers layers: VendLayers) {
    let names = layers.inFront.map { "\($0.connection.name) (\($0.connection.id))" }.joined(separator: ", then ")
    passed(.layers, names.isEmpty ? "Nothing stands in front." : "In front, from the outside in: \(names).")
  }
}

/// A connection that covers a URL.
private struct Cover {
  let connection: Connection
  let pattern: ResourcePattern
  let specificity: Int
  /// Whether no other of the same layer covers the URL better.
  let isBest: Bool

  /// Those of every layer, the best first.
  static func all(of url: ResourceURL, among known: LayeredConnections) -> [Cover] {
    [known.services, known.proxies, known.networks].flatMap { layer in
      let found = layer.compactMap { connection in connection.best(for: url).map { (connection, $0) } }
      let highest = found.map(\.1.specificity).max() ?? 0
      return found.sorted { ($1.1.specificity, $0.0.id.text) < ($0.1.specificity, $1.0.id.text) }.map {
        Cover(
          connection: $0, pattern: $1.pattern, specificity: $1.specificity, isBest: $1.specificity == highest)
      }
    }
  }

  var words: String { "\(connection.name) (\(connection.id)) covers it by \(pattern.text)" }

  /// Why the vend does not take it.
  func loss(_ request: VendRequest, _ client: Client, _ all: [Cover]) -> String {
    let layer = all.filter { $0.connection.kind.layer == connection.kind.layer }
    guard isBest else { return "less closely than \(Self.names(layer.filter(\.isBest)))" }
    if connection.isDisabled { return "but is switched off" }
    if client.permission(for: connection.id) == nil { return "but \(client.name) may not use it" }
    if request.account == nil, !connection.kind.isServiceOwned { return "but only people connect it" }
    if let audience = request.audience, audience != connection.id.text { return "but the app names \(audience)" }
    let rivals = layer.filter { $0.isBest && $0.connection.id != connection.id }
    if connection.kind.isServiceOwned, rivals.contains(where: { !$0.connection.kind.isServiceOwned }) {
      return "but what a person connects goes before Gatehouse's own"
    }
    return rivals.isEmpty ? "but is not needed for it" : "as closely as \(Self.names(rivals))"
  }

  private static func names(_ covers: [Cover]) -> String {
    covers.map(\.connection.name).sorted().joined(separator: " and ")
  }
}

extension VendLayers {
  /// What the connection is for this URL; `nil` when the vend does not take it.
  fileprivate func role(of id: ConnectionID) -> String? {
    if id == service.connection.id { return "it is the one that the app gets" }
    if id == proxy?.connection.id { return "it is the proxy in front" }
    return id == network?.connection.id ? "it opens the network in front" : nil
  }
}
