import Domain
import Flows
import HTTP
import Pages

/// What the pages share: who is signed in, forms that prove where they come from, redirects within our own paths.
struct Desk: Sendable {
  let here: Installation
  let external: ExternalURL
  let cookies: CookieNames
  let pages: PageLibrary
  let look: Look
  /// Whom to tell of a weakness, as a URL.
  var published = PublishedAddresses()

  /// Who is signed in as a person.
  func person(_ call: Call) async throws -> SignedIn? { try await session(.session, .person, call) }

  /// Who is signed in to the administration.
  func administrator(_ call: Call) async throws -> SignedIn? {
    try await session(.administration, .administrator, call)
  }

  private func session(
    _ name: CookieNames.Name, _ kind: BrowserSession.Kind, _ call: Call
  ) async throws -> SignedIn? {
    guard let token = cookies.value(name, in: call.request) else { return nil }
    return try await here.session(token, kind: kind, at: here.clock.now())
  }

  /// Renders a page with what every page needs; the browser gets its cookie if it has none.
  ///
  /// `slots` is what the page itself needs (see ``PageName``); `form` says what its form is for, to be named again to
  /// ``verify(_:_:form:)``: a form that carries a ticket names it, so that it cannot be sent with another one; it is
  /// `nil` where no form of the page leads to us. `formTargets` are origins outside that a form on it may lead to;
  /// `known` is what ``browser(_:)`` gave for something else on the page.
  func page(
    _ name: PageName, _ slots: PageContext.Object, _ call: Call, status: Status = .ok, form: String? = "page",
    formTargets: [String] = [], browser known: (token: String, cookie: SetCookie?)? = nil
  ) throws -> Response {
    let (browser, cookie) = try known ?? browser(call)
    var common = look.slots(basePath: external.basePath)
    if let form { common["csrf"] = .text(here.formToken(for: binding(browser, call), form: form)) }
    let language = pages.language(of: name, wanted: language(call.request))
    let body = try pages.render(name, with: common.merging(slots), in: language)
    var response = Response(
      status: status, headers: SecurityHeaders.page(formTargets: (form == nil ? [] : ["'self'"]) + formTargets),
      body: .bytes(body))
    if let language = FieldValue(language) { response.headers.set("content-language", language) }
    if let cookie { response.headers.add(cookie) }
    return response
  }

  /// The cookie that binds forms and trips to this browser, and the header that sets it when it is new.
  func browser(_ call: Call) throws -> (token: String, cookie: SetCookie?) {
    if let known = cookies.value(.browser, in: call.request), known.utf8.count == 43 { return (known, nil) }
    let new = NewToken()
    return (new.secret.revealedText, try cookies.setting(.browser, to: new.secret))
  }

  /// Makes sure that a posted form came from a page of ours in this browser (reference: WEB-11).
  ///
  /// `name` is what ``page(_:_:_:status:form:formTargets:)`` was given.
  ///
  /// - Throws: ``ForeignForm``.
  func verify(_ form: Form, _ call: Call, form name: String = "page") throws {
    guard isFromHere(call.request), let browser = cookies.value(.browser, in: call.request),
      let token = form["csrf"], here.isFormToken(token, for: binding(browser, call), form: name)
    else { throw ForeignForm() }
  }

  /// A form that did not come from our own page, or from one that a sign-in or sign-out has outdated.
  struct ForeignForm: Error {}

  /// Fetch metadata first, then the origin; old browsers that send neither are judged by the token alone.
  private func isFromHere(_ request: Request) -> Bool {
    if let site = request.headers["sec-fetch-site"] { return site == "same-origin" || site == "none" }
    if let origin = request.headers["origin"] { return origin == external.origin }
    return true
  }

  /// The sessions are part of it, so that a form from before a sign-in or sign-out does not work after it.
  private func binding(_ browser: String, _ call: Call) -> String {
    let session = cookies.value(.session, in: call.request) ?? ""
    let administration = cookies.value(.administration, in: call.request) ?? ""
    return "\(browser)|\(session)|\(administration)"
  }

  /// Sends the browser to a path of ours.
  func redirect(to path: String) throws -> Response { try .seeOther(external.basePath + path) }

  /// Sends the browser to sign in first.
  func signInFirst(then next: Continuation) throws -> Response {
    // A colon may stand in a query as it is (RFC 3986 §3.4).
    let ticket = PercentCoding.encode(next.text).replacing("%3A", with: ":")
    return try redirect(to: ticket.isEmpty ? "/signin" : "/signin?ticket=\(ticket)")
  }
}
