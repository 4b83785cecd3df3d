import Domain
import Flows
import HTTP
import Logging

/// Sends a browser to an upstream, to sign in here with it or to connect it.
struct TripEndpoint: Sendable {
  private let desk: Desk
  private let begin: BeginSignIn

  init(_ desk: Desk) {
    self.desk = desk
    begin = BeginSignIn(desk.here)
  }

  /// Begins a sign-in.
  func get(_ call: Call) async throws -> Response {
    let next = Continuation(try call.query().nonEmpty("ticket"))
    // The administration takes local accounts only.
    let path = next == .administration ? ReturnPath.account : next.path
    return try await start(Trip(connection: try call.connectionID(), purpose: .signIn, returnPath: path), call)
  }

  struct Trip: Sendable {
    let connection: ConnectionID
    let purpose: SignInAttempt.Purpose
    let returnPath: String
    /// The mark of the identity that may take the place of another.
    var replacement: String?
  }

  /// - Throws: `Refusal` when there is no such connection; an upstream that is down is a page.
  func start(_ trip: Trip, _ call: Call) async throws -> Response {
    let connection = try await begin.connection(trip.connection)
    try desk.here.countBeginning(by: call.visitor)
    let (browser, cookie) = try desk.browser(call)
    do {
      let url = try await begin(
        trip.connection, for: trip.purpose, browser: TokenHash(of: browser), returnPath: trip.returnPath,
        replacement: trip.replacement)
      var response = try Response.seeOther(url)
      if let cookie { response.headers.add(cookie) }
      return response
    } catch let failure as UpstreamFailure {
      desk.here.log.warning(
        "a sign-in at an upstream could not begin",
        [
          "request": .string(call.requestID), "connection": .string(connection.id.text),
          "why": .string(failure.text),
        ])
      let isSignedIn = if case .connect = trip.purpose { true } else { false }
      let retry = isSignedIn ? "/connect/\(connection.id)" : "/signin"
      return try desk.page(Message(failure, at: connection.name, retryPath: retry), call)
    }
  }
}
