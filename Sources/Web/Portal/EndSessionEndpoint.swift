import Domain
import Flows
import HTTP
import Pages

/// Where an app sends a browser to sign its person out of it (OpenID Connect RP-Initiated Logout §2).
struct EndSessionEndpoint: Sendable {
  private let desk: Desk
  private let end: EndBrowserSession

  init(_ desk: Desk) {
    self.desk = desk
    end = EndBrowserSession(desk.here)
  }

  func get(_ call: Call) async throws -> Response { try await answer(try call.query(), call) }

  /// Both the request of an app and the person's own answer to it come by POST.
  ///
  /// Browsers send our cookie with no form of another site, so that an app's is asked for again by GET.
  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    guard posted.nonEmpty("csrf") != nil else {
      var again = QueryItems()
      for name in Self.names { again.append(name, posted.nonEmpty(name)) }
      return try desk.redirect(to: again.appended(to: "/oauth2/end_session"))
    }
    try desk.verify(posted, call, form: Self.form)
    guard let person = try await desk.person(call) else { return try desk.redirect(to: "/signed-out") }
    let wish = try await end.wish(Self.parameters(posted), person)
    return try await finish(wish, person, call)
  }

  private func answer(_ sent: Form, _ call: Call) async throws -> Response {
    let parameters = Self.parameters(sent)
    let person = try await desk.person(call)
    let wish = try await end.wish(parameters, person)
    if let objection = wish.objection {
      call.logRefusal(Refusal.Code.invalidRequest.rawValue, objection, desk.here.log)
    }
    guard let person else {
      // Nobody here has checked where this app sends people, and nobody is asked.
      return wish.client?.isTrusted == false ? try desk.redirect(to: "/signed-out") : try away(wish)
    }
    if wish.isForThisSession { return try await finish(wish, person, call) }
    let slots: PageContext.Object = [
      "client_name": .text(ifAny: wish.client?.name), "account_name": .text(person.account.name),
      "fields": .list(
        Self.names.compactMap { name in
          sent.nonEmpty(name).map { .object(["name": .text(name), "value": .text($0)]) }
        }),
    ]
    let targets = wish.target.flatMap(RedirectURI.init)?.formTargets ?? []
    return try desk.page(.endSession, slots, call, form: Self.form, formTargets: targets)
  }

  private func finish(_ wish: EndBrowserSession.Wish, _ person: SignedIn, _ call: Call) async throws -> Response {
    try await end(person, by: wish.client?.id, call.visitor)
    var response = try away(wish)
    response.headers.add(try desk.cookies.clearing(.session))
    response.headers.set("clear-site-data", "\"cache\", \"storage\"")
    return response
  }

  private func away(_ wish: EndBrowserSession.Wish) throws -> Response {
    guard let target = wish.target else { return try desk.redirect(to: "/signed-out") }
    return try .seeOther(target)
  }

  private static let form = "end-session"
  private static let names = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"]

  private static func parameters(_ form: Form) -> EndBrowserSession.Parameters {
    var parameters = EndBrowserSession.Parameters()
    parameters.idTokenHint = form.nonEmpty("id_token_hint")
    parameters.clientID = form.nonEmpty("client_id")
    parameters.redirectURI = form.nonEmpty("post_logout_redirect_uri")
    parameters.state = form.nonEmpty("state")
    return parameters
  }
}
