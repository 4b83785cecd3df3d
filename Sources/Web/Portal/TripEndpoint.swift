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

  /// Begins a sign-in; `prompt=login` lets somebody sign in at the upstream who is not the one that it remembers.
  ///
  /// So it is where an app, or what protects the account, wants a fresh proof, and where somebody is signed in already:
  /// another person, or again.
  func get(_ call: Call) async throws -> Response {
    let query = try call.query()
    let next = Continuation(query.nonEmpty("ticket"))
    // The administration takes local accounts only.
    let path = next.isForAdministration ? ReturnPath.account : next.path
    var trip = Trip(connection: try call.connectionID(), purpose: .signIn, returnPath: path)
    trip.forcesLogin = query["prompt"] == "login"
    if case .security = next { trip.forcesLogin = true }
    if case .authorize(let handle) = next, !trip.forcesLogin {
      let isSignedIn = try await desk.person(call) != nil
      let wantsProof = try await OfferSignIn(desk.here).wantsProof(handle: handle)
      trip.forcesLogin = isSignedIn || wantsProof
    }
    return try await start(trip, call)
  }

  struct Trip: Sendable {
    let connection: ConnectionID
    let purpose: SignInAttempt.Purpose
    let returnPath: String
    /// The mark of the identity that may take the place of another.
    var replacement: String?
    var keeping = Keeping.untilSignOut
    /// Whether the upstream asks who it is although it may remember somebody.
    var forcesLogin = false
  }

  /// - Throws: `Refusal` when there is no such connection; an upstream that is down is a page.
  func start(_ trip: Trip, _ call: Call) async throws -> Response {
    let connection = try await begin.connection(trip.connection)
    try desk.here.countBeginning(by: call.visitor)
    let (browser, cookie) = try desk.browser(call)
    do {
      let url = try await begin(
        trip.connection, for: trip.purpose, browser: TokenHash(of: browser), returnPath: trip.returnPath,
        replacement: trip.replacement, keeping: trip.keeping, forcesLogin: trip.forcesLogin)
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
