import Domain
import Flows
import HTTP
import Pages

/// The sign-in with a passkey alone; what its page needs stands in the sign-in page.
struct PasskeyEndpoint: Sendable {
  static let path = "/passkey"
  private let desk: Desk
  private let signIn: SignInEndpoint
  private let byPasskey: SignInByPasskey

  init(_ desk: Desk) {
    self.desk = desk
    signIn = SignInEndpoint(desk)
    byPasskey = SignInByPasskey(desk.here)
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: "signin")
    let next = Continuation(posted.nonEmpty("ticket"))
    let kind: BrowserSession.Kind = next.isForAdministration ? .administrator : .person
    guard let answer = PasskeyAnswer(posted) else { return try await signIn.refusePasskey(next, call) }
    let attempt = SignInByPasskey.Attempt(
      answer, kind, browser: TokenHash(of: try desk.browser(call).token),
      formerSession: desk.cookies.value(kind.cookie, in: call.request))
    guard let (session, device) = try await byPasskey(attempt, desk.arriving(call)) else {
      return try await signIn.refusePasskey(next, call)
    }
    return try desk.signedIn(session, device, then: next)
  }
}

extension PasskeyAnswer {
  /// Reads what the script of our pages sends.
  init?(_ posted: Form) {
    self.init(
      credential: posted["credential"] ?? "", userHandle: posted["user_handle"] ?? "",
      clientData: posted["client_data"] ?? "", authenticatorData: posted["authenticator_data"] ?? "",
      signature: posted["signature"] ?? "")
  }
}

extension SignInByPasskey.Options {
  /// What the form for a passkey needs.
  var slots: PageContext {
    [
      "challenge": .text(challenge), "relying_party": .text(relyingParty),
      "known": .text(known.joined(separator: " ")),
    ]
  }
}
