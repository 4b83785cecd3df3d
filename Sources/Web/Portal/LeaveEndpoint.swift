import Domain
import Flows
import HTTP
import Pages

/// Asks before a browser goes back to an app that nobody here has checked, with nothing but an error (reference: X-6).
struct LeaveEndpoint: Sendable {
  static let path = "/oauth2/leave"
  private static let form = "leave"

  private let desk: Desk

  init(_ desk: Desk) { self.desk = desk }

  func page(_ way: UncheckedReturn, _ call: Call) throws -> Response {
    let redirectURI = RedirectURI(way.redirectURI)
    let slots: PageContext.Object = [
      "client_name": .text(way.client.name), "host": .text(redirectURI?.destination ?? ""),
      "reason": .words(Words(way.refusal.description)),
    ]
    switch way.response {
    case .form(let post): return try desk.page(.leave, posting: post, slots, call)
    case .redirect(let url):
      let own: PageContext.Object = ["post": .none, "target": .text(desk.here.signed(url, for: Self.form))]
      return try desk.page(
        .leave, slots.merging(own), call, form: Self.form, formTargets: redirectURI?.formTargets ?? [])
    }
  }

  /// The person goes on; only a link that we made leads anywhere.
  func post(_ call: Call) throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: Self.form)
    guard let url = posted["target"].flatMap({ desk.here.signedText($0, for: Self.form) }) else {
      throw Refusal(.invalidRequest, "This link is not whole. Go back to the app and try again there.")
    }
    return try .seeOther(url)
  }
}
