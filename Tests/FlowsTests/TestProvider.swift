import Domain
import HTTP
import JSON
import Synchronization
import Testing

/// An OpenID provider that gives every refresh a new refresh token and takes the old one back.
final class TestProvider: Sendable {
  /// What it does with one request at its token endpoint; the good thing when nothing is left to do.
  enum Act: Sendable {
    /// Rotates, then cuts the connection.
    case rotateAndDrop
    /// Cuts the connection and does nothing.
    case drop
    case answer(Status, String)
    /// Waits at the barrier, then does the good thing.
    case wait(Barrier)
  }

  private struct State {
    var current = "refresh-0"
    var issued = 0
    var presented: [String] = []
    var revoked: [String] = []
    var acts: [Act] = []
  }

  private final class Guarded: Sendable {
    let state = Mutex(State())
  }

  private let guarded: Guarded
  let server: TestServer

  init() throws {
    let guarded = Guarded()
    self.guarded = guarded
    server = try TestServer { await TestProvider.answer($0, guarded) }
  }

  /// The refresh tokens that were presented, in order.
  var presented: [String] { guarded.state.withLock(\.presented) }

  /// The tokens that were revoked, in order.
  var revoked: [String] { guarded.state.withLock(\.revoked) }

  /// What happens at the next calls of the token endpoint.
  func next(_ acts: Act...) { guarded.state.withLock { $0.acts += acts } }

  private static func answer(_ request: Request, _ guarded: Guarded) async -> Response {
    let origin = "http://" + (request.headers["host"] ?? "")
    switch request.path {
    case "/.well-known/openid-configuration":
      return json([
        "issuer": .string(origin), "authorization_endpoint": .string(origin + "/authorize"),
        "token_endpoint": .string(origin + "/token"), "jwks_uri": .string(origin + "/keys"),
        "revocation_endpoint": .string(origin + "/revoke"),
      ])
    case "/token": return await token(field("refresh_token", of: request), guarded)
    case "/revoke":
      let token = field("token", of: request)
      guarded.state.withLock { $0.revoked.append(token) }
      return Response(status: .ok)
    default: return Response(status: .notFound)
    }
  }

  private static func token(_ presented: String, _ guarded: Guarded) async -> Response {
    let act: Act? = guarded.state.withLock { state in
      state.presented.append(presented)
      return state.acts.isEmpty ? nil : state.acts.removeFirst()
    }
    switch act {
    case .drop: return cut
    case .rotateAndDrop:
      _ = rotate(presented, guarded)
      return cut
    case .answer(let status, let body): return Response(status: status, body: .bytes(Array(body.utf8)))
    case .wait(let barrier):
      await barrier.wait()
      return rotate(presented, guarded)
    case nil: return rotate(presented, guarded)
    }
  }

  private static func rotate(_ presented: String, _ guarded: Guarded) -> Response {
    guarded.state.withLock { state in
      guard presented == state.current else { return json(["error": "invalid_grant"], status: .badRequest) }
      state.issued += 1
      state.current = "refresh-\(state.issued)"
      return json([
        "access_token": .string("access-\(state.issued)"), "token_type": "Bearer", "expires_in": 1800,
        "refresh_token": .string(state.current),
      ])
    }
  }

  private static func field(_ name: String, of request: Request) -> String {
    do { return try Form(request.body)[name] ?? "" } catch { return "" }
  }

  private static var cut: Response {
    struct Cut: Error {}
    return Response(status: .ok, body: .stream { _ in throw Cut() })
  }

  private static func json(_ value: JSONValue, status: Status = .ok) -> Response {
    Response(status: status, headers: ["content-type": "application/json"], body: .bytes(value.encoded()))
  }
}
