import Domain
import Flows
import HTTP
import Pages

/// Where upstreams send browsers back to; what went well leaves at once for an address without code and state.
struct CallbackEndpoint: Sendable {
  private let desk: Desk
  private let complete: CompleteSignIn

  init(_ desk: Desk) {
    self.desk = desk
    complete = CompleteSignIn(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    let query = try call.query()
    let id = try call.connectionID()
    guard let state = query.nonEmpty("state"), let browser = desk.cookies.value(.browser, in: call.request) else {
      return try desk.page(.unknownTrip, call)
    }
    let callback = CompleteSignIn.Callback(
      connection: id, state: state, code: query.nonEmpty("code"), error: query.nonEmpty("error"),
      issuer: query["iss"])
    let person = try await desk.person(call)
    let outcome = try await complete(callback, browser: TokenHash(of: browser), signedIn: person, desk.arriving(call))
    return try await answer(outcome, person, call)
  }

  /// Where an outcome leads, also that of a form.
  func answer(_ outcome: CompleteSignIn.Outcome, _ person: SignedIn?, _ call: Call) async throws -> Response {
    switch outcome {
    case .signedIn(let session, let path):
      var response = try desk.redirect(to: path)
      try desk.begin(session, &response)
      return response
    case .connected(let path), .doneBefore(let path): return try desk.redirect(to: path)
    case .otherIdentity(let replacement): return try await ReplaceEndpoint(desk).page(replacement, person, call)
    case .cancelled(let connection, let path):
      return try desk.page(.cancelled(connection.name, retryPath: retryPath(connection, path, person)), call)
    case .refused(let reason): return try refused(reason, person, call)
    }
  }

  /// Where another try begins: what an app waits for knows the way, else the page that the trip began on.
  private func retryPath(_ connection: Connection, _ returnPath: String, _ person: SignedIn?) -> String {
    if !returnPath.hasPrefix(ReturnPath.account) { return returnPath }
    return person == nil ? "/signin" : "/connect/\(connection.id)"
  }

  private func refused(_ reason: CompleteSignIn.Reason, _ person: SignedIn?, _ call: Call) throws -> Response {
    switch reason {
    case .unknownTrip: return try desk.page(.unknownTrip, call)
    case .accountDisabled: return try desk.page(.accountDisabled, call)
    case .localAccount(let connection, let identity):
      return try desk.page(.localAccount(connection.name, identity: identity), call)
    case .linkedElsewhere(let connection, let identity):
      return try desk.page(.linkedElsewhere(connection.name, identity: identity), call)
    case .upstream(let connection, let failure, let path):
      let message = Message(failure, at: connection.name, retryPath: retryPath(connection, path, person))
      return try desk.page(message, call)
    case .notAdmitted(let connection, let identity, let hasInvitation):
      let slots: PageContext.Object = [
        "reason": .choice(LinkReason.notInvited), "ticket": "", "identity": .text(identity), "identity_before": .none,
        "account_name": .none, "has_invitation": .flag(hasInvitation),
      ]
      return try desk.page(.linkAccount, connection.slots.merging(slots), call, status: .forbidden)
    }
  }
}
