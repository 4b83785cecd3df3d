import Domain
import Flows
import HTTP
import Pages

/// Asks whether an app may act for the person, and sends the answer back to the app.
struct ConsentEndpoint: Sendable {
  private let desk: Desk
  private let decide: DecideConsent

  init(_ desk: Desk) {
    self.desk = desk
    decide = DecideConsent(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    let handle = try handle(in: try call.query())
    let person = try await desk.person(call)
    switch try await decide.step(handle, person, call.visitor) {
    case .signIn: return try desk.signInFirst(then: .authorize(handle: handle))
    case .answer(let response): return try desk.answer(response, call)
    case .leave(let way): return try LeaveEndpoint(desk).page(way, call)
    case .ask(let question):
      guard let person else { return try desk.signInFirst(then: .authorize(handle: handle)) }
      return try page(question, handle, person, [], call)
    }
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form(repeatable: ["connection", "unattended"])
    let handle = try handle(in: posted)
    try desk.verify(posted, call, form: Self.form(handle))
    guard let person = try await desk.person(call) else {
      return try desk.signInFirst(then: .authorize(handle: handle))
    }
    guard posted["answer"] == "allow" else {
      return try desk.answer(try await decide.deny(handle, person, call.visitor), call)
    }
    let chosen = posted.values(of: "connection").compactMap(ConnectionID.init)
    let left = posted.values(of: "unattended").compactMap(ConnectionID.init)
    if let error = Self.objection(to: chosen, left) {
      let question = try await decide.question(handle, person)
      if !question.choices.isEmpty { return try page(question, handle, person, [("connection", error)], call) }
    }
    do {
      let mark = posted["shown"] ?? ""
      let response = try await decide.allow(
        handle, connections: chosen, unattended: left, as: mark, person, call.visitor)
      return try desk.answer(response, call)
    } catch is DecideConsent.OutdatedQuestion {
      let error: Words = "The app, or what you allowed it, has changed since you opened this page. Look at it again."
      return try page(try await decide.question(handle, person), handle, person, [("", error)], call)
    }
  }

  /// What an answer lacks that could choose services.
  private static func objection(to chosen: [ConnectionID], _ left: [ConnectionID]) -> Words? {
    if chosen.isEmpty { return "Tick at least one service, or press “Do not allow”." }
    return left.allSatisfy(chosen.contains)
      ? nil : "Tick the service, too, that the app may use while you are not here."
  }

  private func handle(in form: Form) throws -> String {
    guard let handle = form.nonEmpty("ticket"), Continuation.isPlain(handle) else {
      throw Refusal(.invalidRequest, "This link is not whole. Go back to the app and try again there.")
    }
    return handle
  }

  private func page(
    _ question: DecideConsent.Question, _ handle: String, _ person: SignedIn, _ errors: [(String, Words)],
    _ call: Call
  ) throws -> Response {
    var form = PageForm()
    form.choose("connection", from: question.choices.map(\.connection.id.text))
    for (field, text) in errors { form.refuse(field, text) }
    let target = question.request.redirectURI.flatMap(RedirectURI.init)
    let device = question.device.map { device -> PageContext in
      .object(["address": .text(device.address), "asked": .time(device.createdAt.seconds)])
    }
    let slots: PageContext.Object = [
      "ticket": .text(handle), "shown": .text(question.mark),
      "connect_ticket": .text(Continuation.authorize(handle: handle).text),
      "client_name": .text(question.client.name), "account_name": .text(person.account.name),
      "returns_to": .text(ifAny: target?.destination), "device": device ?? .none,
      "reads_code": .flag(question.request.isReadFromPage),
      "registered": .time(question.client.createdAt.seconds),
      "connections": .list(
        question.choices.map { choice in
          let isOffered = question.unattended.contains { $0.connection.id == choice.connection.id }
          return .object(choice.slots.merging(["leavable": .flag(isOffered)]))
        }),
      "portals": .list(question.portals.map { ["name": .text($0.name)] }),
      "unconnected": question.unconnectedPortals.first.map {
        .object(["id": .text($0.id.text), "name": .text($0.name)])
      } ?? .none,
      "acts": .flag(question.scope.contains(Scope.vend) || !question.portals.isEmpty),
      "leavable": .list(question.choices.isEmpty ? question.unattended.map { .object($0.slots) } : []),
      "unchecked": .flag(!question.client.isTrusted),
      "about": .list(question.registration?.description.links ?? []),
      "before": question.standing.map(Self.slots(of:)) ?? .none,
      "lasts": .words(question.client.independence(in: question.request)),
      "outlasts": .flag(question.request.scope.contains(Scope.offlineAccess)),
    ]
    return try desk.page(
      .consent, form.slots.merging(question.scope.slots).merging(slots).merging(desk.slots(of: question.look)), call,
      status: errors.isEmpty ? .ok : 422, form: Self.form(handle),
      formTargets: target?.formTargets ?? [])
  }

  /// What stays as it was.
  private static func slots(of standing: DecideConsent.Question.Standing) -> PageContext {
    .object(
      standing.scope.slots(hasUnattendedUse: standing.hasUnattendedUse).merging([
        "services": .list(standing.connections.map { ["name": .text($0.name)] })
      ]))
  }

  private static func form(_ handle: String) -> String { "consent \(handle)" }
}

extension Client {
  /// For how long it can go on without bringing the person here again, as it asks.
  fileprivate func independence(in request: AuthorizationRequest) -> Words {
    let token = request.scope.arcGISConnections.isEmpty ? AccessToken.lifetime : AccessToken.arcGISLifetime
    let seconds = min(
      grants.contains(.refreshToken) ? TokenFamily.absoluteLifetime : token,
      request.lasts ?? TokenFamily.absoluteLifetime)
    let (days, hours) = (seconds / 86_400, seconds / 3600)
    if days > 1 { return .counting(days, "day") }
    return hours > 1 ? .counting(hours, "hour") : .counting(max(seconds / 60, 1), "minute")
  }
}

extension ClientDescription {
  /// What people may read of an app that registered itself: `label`, `host` (text), `url` (link).
  ///
  /// The host stands beside each link: what the app calls itself says nothing of where it leads.
  var links: [PageContext] {
    let links: [(label: Words, url: String?)] = [("Website", page), ("Terms", terms), ("Privacy", policy)]
    return links.compactMap { label, url in
      url.flatMap { ResourceURL($0) }.map {
        .object(["label": .words(label), "host": .text($0.host), "url": .url($0.text)])
      }
    }
  }
}

extension DecideConsent.Choice {
  fileprivate var slots: PageContext.Object {
    connection.slots.merging([
      "raw_token": .flag(handsOutRawTokens), "connected": .flag(isConnected),
      "checked": .flag(isAllowedAlready || isJustConnected), "left": .flag(isUnattendedAlready),
    ])
  }
}
