import Domain
import Flows
import HTTP
import Pages

/// The second step of a sign-in with a password.
struct SecondFactorEndpoint: Sendable {
  static let path = "/second-factor"
  private static let formName = "second factor"
  private let desk: Desk
  private let signIn: SignInEndpoint
  private let prove: ProveSecondFactor

  init(_ desk: Desk) {
    self.desk = desk
    signIn = SignInEndpoint(desk)
    prove = ProveSecondFactor(desk.here)
  }

  /// Where a sign-in goes on whose password was right; `token` names it.
  static func redirect(_ desk: Desk, _ token: Secret, then next: Continuation) throws -> Response {
    let query: QueryItems = next.text.isEmpty ? [:] : ["ticket": next.text]
    var response = try desk.redirect(to: query.appended(to: path))
    response.headers.add(try desk.cookies.setting(.pending, to: token))
    return response
  }

  func get(_ call: Call) async throws -> Response {
    let next = Continuation(try call.query().nonEmpty("ticket"))
    guard let pending = try desk.pendingSignIn(call) else { return try desk.signInFirst(then: next) }
    return try await page(Self.form, pending, next, call)
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: Self.formName)
    let next = Continuation(posted.nonEmpty("ticket"))
    guard let pending = try desk.pendingSignIn(call) else { return try desk.signInFirst(then: next) }
    let (field, proof): (String, ProveSecondFactor.Proof) =
      if let answer = PasskeyAnswer(posted) {
        ("", .passkey(answer, browser: TokenHash(of: try desk.browser(call).token)))
      } else if let code = posted["recovery_code"] {
        ("recovery_code", .recoveryCode(code))
      } else {
        ("code", .appCode(posted["code"] ?? ""))
      }
    let attempt = ProveSecondFactor.Attempt(
      pending, proof, deviceToken: desk.cookies.value(.device, in: call.request),
      formerSession: desk.cookies.value(pending.kind.cookie, in: call.request))
    var form = Self.form
    switch try await prove(attempt, desk.arriving(call)) {
    case .signedIn(let session, let device): return try desk.signedIn(session, device, then: next)
    case .tooLate: return try desk.signInFirst(then: next)
    case .wrong:
      form.refuse(field, Self.objections[field] ?? "The passkey was not accepted, or came too late. Try again.")
      return try await page(form, pending, next, call, status: 422)
    case .wait(let seconds):
      form.refuse("", "Too many wrong codes. Try again in \(SignInEndpoint.words(for: seconds)).")
      var response = try await page(form, pending, next, call, status: 429)
      response.headers.set("retry-after", FieldValue(seconds))
      return response
    }
  }

  private static let objections: [String: Words] = [
    "code": "This is not the code of now, or it was used before. Type the one that the app shows next.",
    "recovery_code": "This is no recovery code of yours, or it was used before. Try another one.",
  ]

  private func page(
    _ form: PageForm, _ pending: PendingSignIn, _ next: Continuation, _ call: Call, status: Status = .ok
  ) async throws -> Response {
    let factors = try await prove.factors(for: pending)
    let browser = TokenHash(of: try desk.browser(call).token)
    let passkey = try await prove.passkeyOptions(for: pending, in: browser)
    let slots: PageContext.Object = [
      "ticket": .text(next.text), "passkey": passkey?.slots ?? .none, "app": .flag(factors.appSince != nil),
      "recovery": .flag(factors.recoveryCodes > 0),
      "recovery_open": .flag(factors.appSince == nil && passkey == nil || form.isRefused),
    ]
    return try desk.page(
      .secondFactor, form.slots.merging(slots), call, status: status, form: Self.formName,
      formTargets: try await signIn.formTargets(next))
  }

  private static var form: PageForm {
    var form = PageForm()
    form.fill("code")
    form.fill("recovery_code")
    return form
  }
}

extension Desk {
  /// The sign-in that waits for its second factor in this browser.
  func pendingSignIn(_ call: Call) throws -> PendingSignIn? {
    here.pendingSignIn(cookies.value(.pending, in: call.request), browser: TokenHash(of: try browser(call).token))
  }

  /// The answer to a finished sign-in.
  func signedIn(_ session: NewSession, _ device: Secret, then next: Continuation) throws -> Response {
    var response = try redirect(to: next.path(for: session.kind))
    try begin(session, &response)
    response.headers.add(try cookies.setting(.device, to: device, maxAge: SignInEndpoint.deviceLifetime))
    response.headers.add(try cookies.clearing(.pending))
    return response
  }

  /// Who begins a session: the request, and what tells its browser from others.
  func arriving(_ call: Call) -> Visitor {
    call.visitor.known(by: cookies.value(.known, in: call.request), reading: language(call.request))
  }

  /// Gives a browser the cookies of the session that begins in it.
  func begin(_ session: NewSession, _ response: inout Response) throws {
    response.headers.add(try cookies.setting(session.kind.cookie, to: session.token))
    response.headers.add(try cookies.setting(.known, to: session.browserMark, maxAge: Self.knownLifetime))
  }

  /// Seconds; browsers keep no cookie for longer.
  private static let knownLifetime = Int(KnownBrowser.daysKept) * 24 * 60 * 60
}

extension Continuation {
  /// Where a session of `kind` goes on: one for the administration nowhere else, and no other there.
  func path(for kind: BrowserSession.Kind) -> String {
    switch kind {
    case .administrator: isForAdministration ? path : Continuation.administration().path
    case .person: isForAdministration ? ReturnPath.account : path
    }
  }
}

extension BrowserSession.Kind {
  /// The cookie of such a session.
  var cookie: CookieNames.Name { self == .administrator ? .administration : .session }
}
