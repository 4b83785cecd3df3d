import Domain
import Flows
import HTTP
import Pages

/// Adds a connection; the upstream is asked before anything is stored.
struct NewConnectionEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) throws -> Response {
    let choice = TemplateChoice(admin.here.providerTemplates, try call.call.query())
    return try page(
      choice.fields.map(NewConnectionForm.init(template:)) ?? NewConnectionForm(), choice, MatchField(), call)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    var form = NewConnectionForm(posted, at: admin.here.clock.now())
    let choice = TemplateChoice(admin.here.providerTemplates, posted)
    if posted["check"] == "1" { return try await check(form, posted, choice, call) }
    guard var draft = form.draft, !form.page.isRefused else {
      return try page(form, choice, MatchField(), call, status: 422)
    }
    let trust = TrustServer(admin.here)
    do {
      if let approval = Self.approval(posted) { draft = try await trust.approve(approval, in: draft) }
      let connection = try await CreateConnection(admin.here)(
        draft, clientSecret: form.clientSecret, key: form.key, by: call.id, call.visitor)
      return try admin.redirect(to: ConnectionEndpoint.path(connection.id), .created, connection.id.text)
    } catch let refusal as Refusal {
      // What was typed is in order; so the id or name is taken, or the upstream is not what it should be.
      form.refuse(Self.field(of: refusal, draft, form.originField), refusal.description)
      let untrusted = refusal.code == .upstreamError ? await trust.untrusted(of: draft) : nil
      return try page(form, choice, MatchField(), call, untrusted, status: 422)
    }
  }

  /// Says whether the draft would cover a URL; nothing else of the form is judged yet.
  private func check(
    _ read: NewConnectionForm, _ posted: Form, _ choice: TemplateChoice, _ call: AdminCall
  ) async throws -> Response {
    guard var draft = read.draft else { return try page(read, choice, MatchField(), call, status: 422) }
    let lines = (posted["resources"] ?? "").split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
    guard draft.resources.count >= lines.count else { return try page(read, choice, MatchField(), call, status: 422) }
    if draft.resources.isEmpty { draft.resources = [ResourcePattern(draft.origin)].compactMap(\.self) }
    var form = NewConnectionForm(template: posted)
    let match = try await form.ask(posted, draft, admin.here)
    return try page(form, choice, match, call, status: form.page.isRefused ? 422 : .ok)
  }

  /// The server and the key that the administrator ticked.
  private static func approval(_ posted: Form) -> TrustServer.Approval? {
    guard let parts = posted.nonEmpty("trust")?.split(separator: " "), parts.count == 2 else { return nil }
    return TrustServer.Approval(server: TrustEndpoint.server(String(parts[0])), publicKey: String(parts[1]), until: nil)
  }

  private static func field(of refusal: Refusal, _ draft: Connection, _ originField: String) -> String {
    switch refusal.code {
    case .upstreamError: originField
    case .invalidClient: draft.kind == .apiKey ? "token" : "client_secret"
    default: refusal == CreateConnection.nameTaken(draft.name) ? "name" : "id"
    }
  }

  private func page(
    _ form: NewConnectionForm, _ choice: TemplateChoice, _ match: MatchField, _ call: AdminCall,
    _ untrusted: ServerSight? = nil, status: Status = .ok
  ) throws -> Response {
    let addresses: PageContext.Object = [
      "callback_prefix": .text("\(admin.here.issuer)/callback/"),
      "signed_out_url": .text("\(admin.here.issuer)/signed-out"),
      "untrusted": untrusted.map(\.newSlots) ?? .none,
    ]
    let slots = form.page.slots.merging(addresses).merging(choice.slots).merging(match.slots)
    return try admin.render(.adminConnectionNew, slots, call, status: status)
  }
}

extension ServerSight {
  /// What the form for a new connection shows of a server that is not trusted.
  fileprivate var newSlots: PageContext {
    [
      "server": .text(server), "problem": .text(problem ?? ""), "chain": .list(chain.map(\.slots)),
      "public_key": .text(chain.first?.publicKeyFingerprint ?? ""),
    ]
  }
}
