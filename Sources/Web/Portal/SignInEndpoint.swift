import Domain
import Flows
import HTTP
import Pages

/// The sign-in page: the connections to choose from, and the form for local accounts.
struct SignInEndpoint: Sendable {
  private let desk: Desk
  private let offer: OfferSignIn
  private let signIn: SignInLocally
  private let setUp: SetUp
  private let byPasskey: SignInByPasskey

  init(_ desk: Desk) {
    self.desk = desk
    offer = OfferSignIn(desk.here)
    signIn = SignInLocally(desk.here)
    setUp = SetUp(desk.here)
    byPasskey = SignInByPasskey(desk.here)
  }

  /// Seconds that a browser is remembered as one that signed in before: a year.
  static let deviceLifetime = 365 * 24 * 60 * 60

  func get(_ call: Call) async throws -> Response {
    let next = Continuation(try call.query().nonEmpty("ticket"))
    if try await isSignedIn(for: next, call) { return try desk.redirect(to: next.path) }
    if try await !setUp.isDone() { return try desk.redirect(to: "/") }
    return try await page(nil, next, call)
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: "signin")
    let next = Continuation(posted.nonEmpty("ticket"))
    let kind: BrowserSession.Kind = next.isForAdministration ? .administrator : .person
    let attempt = SignInLocally.Attempt(
      username: posted["username"] ?? "", password: Secret(posted["password"] ?? ""), kind: kind,
      deviceToken: desk.cookies.value(.device, in: call.request),
      formerSession: desk.cookies.value(kind.cookie, in: call.request),
      browser: TokenHash(of: try desk.browser(call).token))
    var form = Self.form(username: posted["username"] ?? "")
    switch try await signIn(attempt, desk.arriving(call)) {
    case .signedIn(let session, let device): return try desk.signedIn(session, device, then: next)
    case .needsSecondFactor(let token): return try SecondFactorEndpoint.redirect(desk, token, then: next)
    case .wrong:
      form.refuse("password", "User name and password do not match. Try again, or ask an administrator.")
      return try await page(form, next, call, status: 422)
    case .wait(let seconds):
      form.refuse("", "Too many wrong passwords. Try again in \(Self.words(for: seconds)).")
      var response = try await page(form, next, call, status: 429)
      response.headers.set("retry-after", FieldValue(seconds))
      return response
    }
  }

  /// An app may want a new sign-in although somebody is signed in, so that its request always gets the page.
  private func isSignedIn(for next: Continuation, _ call: Call) async throws -> Bool {
    switch next {
    case .administration: try await desk.administrator(call) != nil
    case .authorize: false
    case .security:
      if let person = try await desk.person(call) { try await desk.here.isFresh(person) } else { false }
    case .account, .connect, .challenge, .address, .device: try await desk.person(call) != nil
    }
  }

  /// The page; without a form, one that holds what an app says that the person is called.
  private func page(
    _ form: PageForm?, _ next: Continuation, _ call: Call, status: Status = .ok
  ) async throws -> Response {
    let offered = try await offer(for: asker(next))
    let again = try await accountAgain(next, call)
    let form = form ?? Self.form(username: again?.username ?? offered.loginHint ?? "")
    // The administration takes local accounts only, and so does what protects one.
    let connections = next.isForAdministration || again?.username != nil ? [] : offered.connections
    let browser = try desk.browser(call)
    let slots: PageContext.Object = [
      "ticket": .text(next.text), "client_name": .text(ifAny: offered.clientName),
      "to_administration": .flag(next.isForAdministration),
      "again_name": .text(ifAny: try await isForApp(next) ? desk.person(call)?.account.name : nil),
      "again": .flag(again != nil), "can_ask_for_link": .flag(desk.here.canMail),
      "connections": .list(connections.map { .object($0.slots) }),
      "passkey": byPasskey.options(in: TokenHash(of: browser.token))?.slots ?? .none,
    ]
    return try desk.page(
      .signIn, form.slots.merging(slots).merging(desk.slots(of: offered.look)), call, status: status, form: "signin",
      formTargets: offered.formTargets,
      browser: browser)
  }

  /// The page for whoever came with a passkey that proves nothing here.
  func refusePasskey(_ next: Continuation, _ call: Call) async throws -> Response {
    var form = Self.form()
    form.refuse("", "The passkey was not accepted, or came too late. Try again, or sign in in another way.")
    return try await page(form, next, call, status: 422)
  }

  /// Where the redirects of a form may lead that finishes a sign-in.
  func formTargets(_ next: Continuation) async throws -> [String] { try await offer(for: asker(next)).formTargets }

  /// Whose proof counts no longer, where one is needed to go on.
  private func accountAgain(_ next: Continuation, _ call: Call) async throws -> Account? {
    guard case .security = next else { return nil }
    return try await desk.person(call)?.account
  }

  private func isForApp(_ next: Continuation) -> Bool { if case .authorize = next { true } else { false } }

  private func asker(_ next: Continuation) -> OfferSignIn.Asker? {
    switch next {
    case .authorize(let handle): .authorization(handle: handle)
    case .connect(_, let ticket): desk.here.ticket(ticket).map { .interaction($0) }
    case .challenge(let text):
      if case .new(_, .app(let ticket)) = ChallengeTicket(text) {
        desk.here.ticket(ticket).map { .interaction($0) }
      } else {
        nil
      }
    case .account, .administration, .security, .address, .device: nil
    }
  }

  private static func form(username: String = "") -> PageForm {
    var form = PageForm()
    form.fill("username", with: username)
    form.fill("password")
    return form
  }

  static func words(for seconds: Int64) -> Words {
    seconds < 60 ? .counting(seconds, "second") : .counting((seconds + 59) / 60, "minute")
  }
}

extension OfferSignIn.Offer {
  /// What was allowed before is answered without a page between, so the form's redirects may lead as far as the app.
  fileprivate var formTargets: [String] { redirectURI.flatMap(RedirectURI.init)?.formTargets ?? [] }
}
