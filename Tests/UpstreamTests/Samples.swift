import Domain
import JSON
import Testing

@testable import Upstream

/// Values that several suites need.
enum Samples {
  static let now = Timestamp(seconds: 1_767_225_600)

  static func connection(
    _ kind: Connection.Kind = .oauthUser, origin: String = "https://gis.example.org/portal",
    resources: [String] = [], reach: [String] = []
  ) throws -> Connection {
    let id = try #require(ConnectionID("maps"))
    var connection = Connection(id: id, name: "Maps", kind: kind, origin: origin, clientID: "GH1a2b", createdAt: now)
    connection.resources = try resources.map { try #require(ResourcePattern($0)) }
    connection.reach.hosts = reach
    return connection
  }

  static func tokens(refreshExpiresIn: Int64? = 1_209_600) -> UpstreamTokens {
    UpstreamTokens(
      accessToken: Secret("old-access"), accessExpiresAt: now - 10, refreshToken: Secret("old-refresh"),
      refreshExpiresAt: refreshExpiresIn.map { now + $0 }, idToken: nil, scope: "read")
  }

  static func answer(_ status: Int, _ body: String, retryAfter: Int64? = nil) -> UpstreamAnswer {
    UpstreamAnswer(status: status, body: Secret(body), askedAt: now, retryAfter: retryAfter)
  }
}

/// The case of a failure, without its text.
enum Verdict: Equatable {
  case refused
  case misconfigured
  case transient
  case ambiguous
  case invalidAnswer

  init(_ failure: UpstreamFailure) {
    switch failure {
    case .refused: self = .refused
    case .misconfigured: self = .misconfigured
    case .transient: self = .transient
    case .ambiguous: self = .ambiguous
    case .invalidAnswer: self = .invalidAnswer
    }
  }

  /// How `work` failed; `nil` when it succeeded.
  static func of(_ work: () async throws -> some Any) async throws -> Verdict? {
    do {
      _ = try await work()
      return nil
    } catch let failure as UpstreamFailure {
      return Verdict(failure)
    }
  }
}

extension UpstreamKind {
  /// Redeems a code and finds out whose the tokens are.
  func signIn(_ back: SignInReturn, _ registration: Registration) async throws(UpstreamFailure) -> SignedIn {
    let redeemed = try await redeem(back, registration, now: Samples.now)
    return try await identify(redeemed, nonce: back.nonce, registration, now: Samples.now)
  }
}
