import Domain
import Flows
import HTTP
import Pages

/// Leads a person through the layers in front of a URL, one after another: `/connect?resource=URL`.
struct ChallengeEndpoint: Sendable {
  private let desk: Desk
  private let steps: ChallengeSteps
  private let trips: TripEndpoint

  init(_ desk: Desk) {
    self.desk = desk
    steps = ChallengeSteps(desk.here)
    trips = TripEndpoint(desk)
  }

  /// Only for somebody who is signed in: nobody else makes Gatehouse call an address.
  func get(_ call: Call) async throws -> Response {
    let query = try call.query()
    let (typed, text) = (query.nonEmpty("resource"), query.nonEmpty("ticket"))
    guard typed != nil || text != nil else { return try await ask(call) }
    let url = typed.flatMap { ResourceURL($0) }
    if let typed, url == nil { return try await ask(call, typed: typed, Self.noAddress) }
    let ticket = if let url { ChallengeTicket(url, waiting: text) } else { text.flatMap { ChallengeTicket($0) } }
    guard let ticket else { throw Self.broken }
    guard let person = try await desk.person(call) else {
      return try desk.signInFirst(then: ticket.continuation(desk.here))
    }
    let place = try await place(ticket, person, call)
    // A site elsewhere chooses no address that is called with this person's sign-ins.
    if case .new(let url, _) = ticket, place.waiting == nil, isFromElsewhere(call.request) {
      return try await ask(call, typed: url.text, nil)
    }
    return try await show(try await steps.view(place, person), ticket, call)
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    guard let ticket = ChallengeTicket(posted["ticket"] ?? "") else { throw Desk.ForeignForm() }
    let (id, asked) = (posted["connection"] ?? "", posted["asked"] ?? "")
    try desk.verify(posted, call, form: Self.form(ticket, id, asked))
    guard let person = try await desk.person(call) else {
      return try desk.signInFirst(then: ticket.continuation(desk.here))
    }
    let place = try await place(ticket, person, call)
    switch posted["do"] {
    case "skip", "cancel":
      let ending: StandingChallenge.Ending = posted["do"] == "skip" ? .skipped : .cancelled
      return try await end(place, ticket, ending, asked: asked, person, call)
    case "allow":
      let ids = id.split(separator: " ").compactMap { ConnectionID(String($0)) }
      try await steps.allow(ids, try await steps.view(place, person), person, call.visitor)
      return try desk.redirect(to: Continuation.challenge(ticket.text).path)
    case let choice:
      guard let connection = ConnectionID(id) else { throw Self.broken }
      let (keeping, objection) = KeepingField.read(posted, at: desk.here.clock.now())
      if choice != "other", let objection {
        return try await show(try await steps.view(place, person), ticket, call, posted, objection)
      }
      let (handle, standing) = try await standing(place, ticket, person, call)
      if choice == "other" {
        try await steps.reject(connection, in: standing)
        return try desk.redirect(to: "/connect?ticket=\(handle)")
      }
      return try await go(to: connection, standing, handle, keeping, person, call)
    }
  }

  /// Sends the person to the connection's sign-in or form, from where they come back here.
  private func go(
    to id: ConnectionID, _ standing: StandingChallenge, _ handle: String, _ keeping: Keeping, _ person: SignedIn,
    _ call: Call
  ) async throws -> Response {
    guard let connection = try await steps.next(id, in: standing) else {
      return try endPage(.exhausted, standing.resource, call)
    }
    if connection.kind.connectsByForm {
      return try desk.redirect(to: "/connect/\(id)?ticket=\(Continuation.challenge(handle).text)")
    }
    let path = Continuation.challenge(handle).path
    return try await trips.start(
      .init(connection: id, purpose: .connect(person.account.id), returnPath: path, keeping: keeping), call)
  }

  /// The challenge as it is written down, which it is from the first decision on.
  private func standing(
    _ place: ChallengeSteps.Place, _ ticket: ChallengeTicket, _ person: SignedIn, _ call: Call
  ) async throws -> (handle: String, StandingChallenge) {
    if let standing = place.standing, case .standing(let handle) = ticket { return (handle, standing) }
    let browser = try desk.browser(call).token
    let (handle, standing) = try await steps.begin(place, browser: browser, person, call.visitor)
    return (handle.revealedText, standing)
  }

  private func end(
    _ place: ChallengeSteps.Place, _ ticket: ChallengeTicket, _ ending: StandingChallenge.Ending, asked: String,
    _ person: SignedIn, _ call: Call
  ) async throws -> Response {
    let (_, standing) = try await standing(place, ticket, person, call)
    try await steps.end(standing, ending, words: asked, call.visitor)
    if ending == .cancelled, let handle = place.authorization {
      return try desk.answer(try await DecideConsent(desk.here).deny(handle, person, call.visitor), call)
    }
    return try endPage(
      ending == .skipped ? .skipped : .cancelled, place.resource, call, asked: Words(asked),
      clientName: try await steps.clientName(of: place), authorization: place.authorization)
  }

  private func place(
    _ ticket: ChallengeTicket, _ person: SignedIn, _ call: Call
  ) async throws -> ChallengeSteps.Place {
    switch ticket {
    case .standing(let handle): return try await steps.place(handle, browser: try desk.browser(call).token, person)
    case .new(let url, nil): return .init(url)
    case .new(let url, .authorization(let handle)): return .init(url, authorization: handle)
    case .new(let url, .app(let text)):
      guard let link = desk.here.ticket(text), link.isFor(url) else { throw Self.broken }
      guard link.account == person.account.id else {
        throw Refusal(
          .accessDenied,
          "The link was made for another account than the one you are signed in with. Nothing was connected or allowed."
        )
      }
      return .init(url, waiting: .init(client: link.client, connection: link.connection))
    }
  }

  private func isFromElsewhere(_ request: Request) -> Bool {
    ["cross-site", "same-site"].contains(request.headers["sec-fetch-site"] ?? "")
  }

  static func form(_ ticket: ChallengeTicket, _ connection: String, _ asked: String) -> String {
    "challenge \(ticket.text) \(connection) \(asked)"
  }

  private static let broken = Refusal(
    .invalidRequest, "This link has expired or is not whole. Go back to where you found it and try again.")
  private static let noAddress: Words =
    "Enter a whole web address, like https://maps.example.org/server/rest/services/Roads."
}

// MARK: - Pages

extension ChallengeEndpoint {
  /// The page that asks for an address.
  private func ask(_ call: Call, typed: String = "", _ objection: Words? = nil) async throws -> Response {
    guard try await desk.person(call) != nil else { return try desk.signInFirst(then: .address) }
    var form = PageForm()
    form.fill("resource", with: typed)
    if let objection { form.refuse("resource", objection) }
    return try desk.page(.challengeAddress, form.slots, call, status: objection == nil ? .ok : 422)
  }

  private func show(
    _ view: ChallengeSteps.View, _ ticket: ChallengeTicket, _ call: Call, _ posted: Form = Form([]),
    _ objection: (field: String, text: Words)? = nil
  ) async throws -> Response {
    guard let connection = view.next else { return try result(view, ticket, call) }
    if let standing = view.place.standing, standing.isExhausted {
      return try endPage(.exhausted, standing.resource, call)
    }
    let asked = view.asked
    var form = PageForm()
    KeepingField.fill(&form, posted)
    if let objection { form.refuse(objection.field, objection.text) }
    let slots: PageContext.Object = [
      "ticket": .text(ticket.text), "connection": .text(connection.id.text), "asked": .words(asked),
      "asked_english": .text(asked.english),
      "resource": .text(view.place.resource.withoutQuery), "target": .text(view.place.resource.host),
      "client_name": .text(ifAny: view.client?.name), "steps": .list(view.steps),
      "by_form": .flag(connection.kind.connectsByForm), "problem": .words(ifAny: view.problem),
      "server_asks": .flag(view.doesServerAsk), "other_ways": .flag(view.hasOtherWays),
    ]
    let redirect = try await steps.redirectURI(of: view.place).flatMap(RedirectURI.init)
    return try desk.page(
      .challenge, connection.slots.merging(slots).merging(form.slots).merging(KeepingField.slots(connection)), call,
      status: objection == nil ? .ok : 422, form: Self.form(ticket, connection.id.text, asked.english),
      formTargets: try await desk.formTargets(of: connection) + (redirect?.formTargets ?? []))
  }

  /// Where nothing is left to sign in to, or nothing can be.
  private func result(_ view: ChallengeSteps.View, _ ticket: ChallengeTicket, _ call: Call) throws -> Response {
    let ids = view.toAllow.map(\.id.text).joined(separator: " ")
    let slots: PageContext.Object = [
      "ticket": .text(ticket.text), "connection": .text(ids), "gets": .list(view.gets),
      "raw_token": .flag(view.handsOutRawTokens),
      "by_proxy": .flag(view.isByProxy),
      "to_allow": .words(.all(view.toAllow.map(\.name))),
    ]
    return try endPage(
      view.result, view.place.resource, call, asked: view.asked, clientName: view.client?.name,
      authorization: view.place.authorization, slots, form: Self.form(ticket, ids, view.asked.english))
  }

  private func endPage(
    _ result: ChallengeResult, _ resource: ResourceURL, _ call: Call, asked: Words = "", clientName: String? = nil,
    authorization: String? = nil, _ more: PageContext.Object = [:], form: String = "page"
  ) throws -> Response {
    let base = desk.external.basePath
    let again = (["resource": resource.withoutQuery] as QueryItems).appended(to: base + "/connect")
    let slots: PageContext.Object = [
      "result": .choice(result), "resource": .text(resource.withoutQuery), "target": .text(resource.host),
      "asked": .words(asked), "asked_english": .text(asked.english), "client_name": .text(ifAny: clientName),
      "again": .url(again), "ticket": "", "gets": [],
      "raw_token": false, "by_proxy": false, "to_allow": .none, "connection": "",
      "back": authorization.map { .url(base + Continuation.authorize(handle: $0).path) } ?? .none,
    ]
    return try desk.page(.challengeEnd, slots.merging(more), call, status: result.status, form: form)
  }
}

extension ChallengeResult {
  fileprivate var status: Status { self == .exhausted ? 429 : .ok }
}
