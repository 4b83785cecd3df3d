import Domain
import Flows
import HTTP
import Pages

/// Connects a service to the account that is signed in, and lets the app that waits for it use it.
struct ConnectEndpoint: Sendable {
  private let desk: Desk
  private let trips: TripEndpoint
  private let begin: BeginSignIn
  private let allow: AllowConnection

  init(_ desk: Desk) {
    self.desk = desk
    trips = TripEndpoint(desk)
    begin = BeginSignIn(desk.here)
    allow = AllowConnection(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    let connection = try await begin.connection(try call.connectionID())
    let link = try link(try call.query().nonEmpty("ticket"), for: connection.id)
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: link.next) }
    let page = try await page(connection, link, person)
    if page.step == .connect, connection.kind.connectsByForm {
      return try show(ConnectForm(), connection, link, page, person, call)
    }
    return try await ask(connection, link, page, person, call)
  }

  /// The page that leads to the upstream's own sign-in, or asks for the app's permission.
  private func ask(
    _ connection: Connection, _ link: Link, _ page: Page, _ person: SignedIn, _ call: Call, posted: Form = Form([]),
    objection: (field: String, text: Words)? = nil
  ) async throws -> Response {
    var form = PageForm()
    KeepingField.fill(&form, posted)
    if let objection { form.refuse(objection.field, objection.text) }
    let slots: PageContext.Object = [
      "step": .choice(page.step), "ticket": .text(link.text), "client_name": .text(ifAny: page.clientName),
      "signed_in_as": .text(ifAny: page.credential?.identity.displayName), "raw_token": .flag(page.handsOutRawTokens),
      "back": .url(desk.external.basePath + link.pathBack),
    ]
    return try desk.page(
      .connect,
      connection.slots.merging(person.account.slots).merging(slots).merging(form.slots)
        .merging(KeepingField.slots(connection)), call, status: objection == nil ? .ok : 422,
      form: Self.form(page.step, connection.id, link.text),
      formTargets: page.step == .connect ? try await desk.formTargets(of: connection) : [])
  }

  func post(_ call: Call) async throws -> Response {
    let id = try call.connectionID()
    let (posted, files) = try call.formWithFiles()
    let answer = posted.nonEmpty("answer")
    try desk.verify(posted, call, form: Self.form(answer == nil ? .connect : .allow, id, posted["ticket"] ?? ""))
    let link = try link(posted.nonEmpty("ticket"), for: id)
    guard let person = try await desk.person(call) else {
      _ = try await begin.connection(id)
      return try desk.signInFirst(then: link.next)
    }
    if case .app(let ticket, let text) = link {
      if let answer { return try await decide(answer, ticket, text, person, call) }
      _ = try await allow.question(ticket, person)
    }
    let path = link.path(afterConnecting: id)
    let connection = try await begin.connection(id)
    if connection.kind.connectsByForm { return try await take(posted, files, connection, link, person, call) }
    let (keeping, objection) = KeepingField.read(posted, at: desk.here.clock.now())
    if let objection {
      let page = try await page(connection, link, person)
      return try await ask(connection, link, page, person, call, posted: posted, objection: objection)
    }
    return try await trips.start(
      .init(connection: id, purpose: .connect(person.account.id), returnPath: path, keeping: keeping), call)
  }

  /// Connects with what was typed, or shows the form again with what is wrong.
  private func take(
    _ posted: Form, _ files: [String: [UInt8]], _ connection: Connection, _ link: Link, _ person: SignedIn,
    _ call: Call
  ) async throws -> Response {
    let now = desk.here.clock.now()
    let (typed, objections) = ConnectForm.read(posted, files, connection, at: now)
    let (keeping, objection) = KeepingField.read(posted, at: now)
    let form: ConnectForm
    if let typed, objection == nil {
      try desk.here.countBeginning(by: call.visitor)
      let entry = ConnectByForm.Entry(
        typed, replacement: posted.nonEmpty("replace"), keeping: keeping,
        returnPath: link.path(afterConnecting: connection.id))
      switch try await ConnectByForm(desk.here)(entry, at: connection, for: person, call.visitor) {
      case .settled(.otherIdentity(let replacement)): form = ConnectForm(posted, asking: replacement)
      case .settled(let outcome): return try await CallbackEndpoint(desk).answer(outcome, person, call)
      case .failed(let failure): form = ConnectForm(posted, failure, at: connection)
      case .wait(let pause): form = ConnectForm(posted, waiting: pause, at: connection)
      }
    } else {
      form = ConnectForm(posted, objections: objections, objection)
    }
    return try show(form, connection, link, try await page(connection, link, person), person, call)
  }

  private func show(
    _ form: ConnectForm, _ connection: Connection, _ link: Link, _ page: Page, _ person: SignedIn, _ call: Call
  ) throws -> Response {
    let slots: PageContext.Object = [
      "ticket": .text(link.text), "client_name": .text(ifAny: page.clientName),
      "signed_in_as": .text(ifAny: page.credential?.identity.displayName),
      "back": .url(desk.external.basePath + link.pathBack),
    ]
    let known = connection.slots.merging(person.account.slots).merging(form.slots(connection))
    var response = try desk.page(
      connection.kind.connectPage, known.merging(slots), call,
      status: form.status,
      form: Self.form(.connect, connection.id, link.text))
    if let seconds = form.retryAfter { response.headers.set("retry-after", FieldValue(seconds)) }
    return response
  }

  private func decide(
    _ answer: String, _ ticket: InteractionTicket, _ text: String, _ person: SignedIn, _ call: Call
  ) async throws -> Response {
    guard answer == "allow" else {
      try await allow.deny(ticket, person, call.visitor)
      return try desk.redirect(to: ReturnPath.account)
    }
    try await allow.allow(ticket, person, call.visitor)
    return try desk.redirect(to: "/connect/\(ticket.connection)?ticket=\(text)")
  }

  /// What sent the person here.
  private enum Link {
    /// Their own account page.
    case account
    /// An app that waits for the service; its link, read and as it came.
    case app(InteractionTicket, text: String)
    /// The consent page, whose request waits meanwhile.
    case consent(handle: String)
    /// The way through the layers of a URL, by its handle.
    case challenge(handle: String)

    var text: String {
      switch self {
      case .account: ""
      case .app(_, let text): text
      case .consent, .challenge: next.text
      }
    }

    /// What goes on after a sign-in.
    var next: Continuation {
      switch self {
      case .account: .account
      case .app(let ticket, let text): .connect(ticket.connection, ticket: text)
      case .consent(let handle): .authorize(handle: handle)
      case .challenge(let handle): .challenge(handle)
      }
    }

    func path(afterConnecting id: ConnectionID) -> String {
      if case .account = self { "/account?connected=\(id)" } else { next.path }
    }

    /// Where somebody goes who does not want to connect now.
    var pathBack: String {
      switch self {
      case .consent, .challenge: next.path
      case .account, .app: ReturnPath.account
      }
    }
  }

  /// - Throws: `Refusal` for a link that is not ours, has expired, or is for another connection.
  private func link(_ text: String?, for id: ConnectionID) throws -> Link {
    guard let text else { return .account }
    switch Continuation(text) {
    case .authorize(let handle): return .consent(handle: handle)
    case .challenge(let handle): return .challenge(handle: handle)
    default: break
    }
    guard let ticket = desk.here.ticket(text), ticket.connection == id, Continuation.isPlain(text) else {
      throw Refusal(.invalidRequest, "This link has expired or is not whole. Go back to the app and try again there.")
    }
    return .app(ticket, text: text)
  }

  private struct Page {
    let step: ConnectStep
    let clientName: String?
    let credential: Credential?
    let handsOutRawTokens: Bool
  }

  private func page(_ connection: Connection, _ link: Link, _ person: SignedIn) async throws -> Page {
    guard case .app(let ticket, _) = link else {
      let services = try await desk.here.overview(of: person.account.id).services
      let held = services.first { $0.connection.id == connection.id }?.credential
      return Page(step: .connect, clientName: nil, credential: held, handsOutRawTokens: false)
    }
    let question = try await allow.question(ticket, person)
    let step: ConnectStep = question.credential == nil ? .connect : question.isAllowed ? .done : .allow
    return Page(
      step: step, clientName: question.client.name, credential: question.credential,
      handsOutRawTokens: question.handsOutRawTokens)
  }

  private static func form(_ step: ConnectStep, _ id: ConnectionID, _ ticket: String) -> String {
    "\(step.rawValue) \(id) \(ticket)"
  }
}

extension Connection.Kind {
  /// The form by which people connect it.
  fileprivate var connectPage: PageName {
    switch self {
    case .pregeneratedToken: .connectToken
    case .password: .connectLogin
    case .kerberos: .connectKerberos
    case .certificate: .connectCertificate
    default: .connectPassword
    }
  }
}
