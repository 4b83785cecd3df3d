import Domain
import HTTP
import HTTPClient
import JSON
import Synchronization
import Testing

@testable import Upstream

/// A plain OAuth 2 provider as GitHub is one, which says whatever a test wants it to say.
final class TestOAuthServer: Sendable {
  struct Script: Sendable {
    var token = #"{"access_token":"gho_1","scope":"read:user","token_type":"bearer"}"#
    var user = #"{"login":"ana","id":583231}"#
    var userStatus = Status.ok
    var revocation = Status.noContent
  }

  private final class State: Sendable { let script = Mutex(Script()) }

  let loopback: Loopback
  private let state = State()

  init() throws {
    let state = state
    loopback = try Loopback { request in
      let script = state.script.withLock(\.self)
      switch request.path {
      case "/token": return Response(status: .ok, body: .bytes(Array(script.token.utf8)))
      case "/user":
        guard request.headers["authorization"] != nil else { return Response(status: .unauthorized) }
        return Response(status: script.userStatus, body: .bytes(Array(script.user.utf8)))
      case "/revoke", "/applications/GH1a2b/token": return Response(status: script.revocation)
      default: return Response(status: .notFound)
      }
    }
  }

  var origin: String { loopback.origin }

  func change(_ edit: (inout Script) -> Void) { state.script.withLock { edit(&$0) } }

  /// A connection that looks as one to GitHub does.
  func connection() throws -> Connection {
    var connection = try Samples.connection(
      .oidc, origin: origin, resources: [origin], reach: [loopback.hostAndPort])
    connection.provider.endpoints = OAuthEndpoints(
      authorization: "\(origin)/authorize", token: "\(origin)/token",
      revocation: "\(origin)/applications/GH1a2b/token", user: "\(origin)/user", subjectMember: "id",
      nameMember: "login")
    connection.provider.quirks.clientAuthentication = .post
    connection.provider.quirks.revocation = .deletion
    connection.provider.quirks.tokensNeverExpire = true
    connection.scopes = ["read:user"]
    return connection
  }

  func registration(_ edit: (inout Connection) -> Void = { _ in }) throws -> Registration {
    var connection = try connection()
    edit(&connection)
    return Registration(
      connection: connection, clientSecret: Secret("s3cr3t"), redirectURI: "https://gate.example.org/callback/maps")
  }
}
