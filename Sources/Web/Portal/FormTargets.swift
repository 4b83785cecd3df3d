import Domain
import Flows

extension Desk {
  /// Where a form that begins a trip to `connection` may lead: the upstream, the sign-in of an application proxy in
  /// front of it, and by redirects whoever lets people sign in there; browsers check the form-action directive against
  /// every one of them.
  func formTargets(of connection: Connection) async throws -> [String] {
    let known = [connection, try await here.proxy(before: connection)]
    return known.compactMap { $0.flatMap { ResourceURL($0.origin)?.origin } } + ["https:"]
  }
}

extension RedirectURI {
  /// What the form-action directive must allow so that the answer reaches the app: an origin, or a private-use scheme.
  var formTargets: [String] { [origin ?? "\(destination):"] }
}
