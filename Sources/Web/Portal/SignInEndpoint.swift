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

  init(_ desk: Desk) {
    self.desk = desk
    offer = OfferSignIn(desk.here)
    signIn = SignInLocally(desk.here)
    setUp = SetUp(desk.here)
  }

  /// Seconds that a browser is remembered as one that signed in before: a year.
  private static let deviceLifetime = 365 * 24 * 60 * 60

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
    let (kind, cookie): (BrowserSession.Kind, CookieNames.Name) =
      next == .administration ? (.administrator, .administration) : (.person, .session)
    let attempt = SignInLocally.Attempt(
      username: posted["username"] ?? "", password: Secret(posted["password"] ?? ""), kind: kind,
      deviceToken: desk.cookies.value(.device, in: call.request),
      formerSession: desk.cookies.value(cookie, in: call.request))
    var form = Self.form(username: posted["username"] ?? "")
    switch try await signIn(attempt, call.visitor) {
    case .signedIn(let session, let device):
      var response = try desk.redirect(to: next.path)
      response.headers.add(try desk.cookies.setting(cookie, to: session.token))
      response.headers.add(try desk.cookies.setting(.device, to: device, maxAge: Self.deviceLifetime))
      return response
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
    case .account, .connect, .challenge, .address, .device: try await desk.person(call) != nil
    }
  }

  /// The page; without a form, one that holds what an app says that the person is called.
  private func page(
    _ form: PageForm?, _ next: Continuation, _ call: Call, status: Status = .ok
  ) async throws -> Response {
    let offered = try await offer(for: asker(next))
    let form = form ?? Self.form(username: offered.loginHint ?? "")
    // The administration takes local accounts only.
    let connections = next == .administration ? [] : offered.connections
    let slots: PageContext.Object = [
      "ticket": .text(next.text), "client_name": .text(ifAny: offered.clientName),
      "to_administration": .flag(next == .administration),
      "again_name": .text(ifAny: try await isForApp(next) ? desk.person(call)?.account.name : nil),
      "connections": .list(connections.map { .object($0.slots) }),
    ]
    // What was allowed before is answered without a page between, so the form's redirects may lead as far as the app.
    let targets = offered.redirectURI.flatMap(RedirectURI.init)?.formTargets ?? []
    return try desk.page(
      .signIn, form.slots.merging(slots), call, status: status, form: "signin", formTargets: targets)
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
    case .account, .administration, .address, .device: nil
    }
  }

  private static func form(username: String = "") -> PageForm {
    var form = PageForm()
    form.fill("username", with: username)
    form.fill("password")
    return form
  }

  private static func words(for seconds: Int64) -> Words {
    seconds < 60 ? .counting(seconds, "second") : .counting((seconds + 59) / 60, "minute")
  }
}
