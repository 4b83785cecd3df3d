import Domain
import Flows
import HTTP
import Pages

/// Asks a person who came back from an upstream as somebody else than before whether that was meant.
struct ReplaceEndpoint: Sendable {
  private let desk: Desk

  init(_ desk: Desk) { self.desk = desk }

  /// The question; its ticket names the identity and the way on, and the form's token binds it to this browser.
  func page(_ replacement: CompleteSignIn.Replacement, _ person: SignedIn?, _ call: Call) async throws -> Response {
    let connection = replacement.connection
    let ticket = "\(replacement.mark)~\(replacement.keeping.text)~\(replacement.returnPath)"
    let slots: PageContext.Object = [
      "reason": .choice(LinkReason.otherIdentity), "ticket": .text(ticket), "identity": .text(replacement.offered),
      "identity_before": .text(replacement.before), "account_name": .text(ifAny: person?.account.name),
    ]
    return try desk.page(
      .linkAccount, connection.slots.merging(slots), call, form: Self.form(connection.id, ticket),
      formTargets: try await desk.formTargets(of: connection))
  }

  /// The answer; only the identity that was shown may come back and take the place of the other.
  func post(_ call: Call) async throws -> Response {
    let id = try call.connectionID()
    let posted = try call.form()
    let ticket = posted["ticket"] ?? ""
    try desk.verify(posted, call, form: Self.form(id, ticket))
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .account) }
    let words = ticket.split(separator: "~", maxSplits: 2).map(String.init)
    guard posted["answer"] == "replace", words.count == 3, let keeping = Keeping(text: words[1]) else {
      return try desk.redirect(to: ReturnPath.account)
    }
    let trip = TripEndpoint.Trip(
      connection: id, purpose: .connect(person.account.id), returnPath: words[2], replacement: words[0],
      keeping: keeping)
    return try await TripEndpoint(desk).start(trip, call)
  }

  private static func form(_ id: ConnectionID, _ ticket: String) -> String { "replace \(id) \(ticket)" }
}
