import Crypto
import Domain
import Flows
import Storage

@testable import Web

/// An account with a session, and what its cookie holds.
struct TestPerson: Sendable {
  let account: Account
  let session: BrowserSession
  let token: Secret

  var signedIn: SignedIn { SignedIn(session: session, account: account) }

  /// The cookies of the browser on plain http, where names have no prefix.
  var cookies: [String: String] {
    [session.kind == .administrator ? "gh_a" : "gh_s": token.revealedText]
  }
}

extension TestInstallation {
  /// Makes an account that is signed in.
  func person(
    _ name: String = "Ana", role: Account.Role = .person, session kind: BrowserSession.Kind = .person
  ) async throws -> TestPerson {
    let username = "\(name.lowercased())-\(Hex.encode(Random.bytes(4)))"
    let account = Account(
      id: AccountID(random: Hex.encode(Random.bytes(16))), name: name, username: username, role: role,
      createdAt: time.now)
    try await store.write { try $0.insert(account) }
    return try await session(of: account, kind)
  }

  /// Signs an account in once more.
  func session(
    of account: Account, _ kind: BrowserSession.Kind = .person, by methods: AuthenticationMethods = .upstream
  ) async throws -> TestPerson {
    let token = NewToken()
    let session = BrowserSession(
      hash: token.hash, account: account.id, kind: kind, authenticatedAt: time.now, lastSeenAt: time.now,
      userAgent: "tests", methods: methods)
    try await store.write { try $0.insert(session) }
    return TestPerson(account: account, session: session, token: token.secret)
  }

  /// An administrator in a browser that is signed in to both parts.
  func administrator(_ name: String = "Root") async throws -> TestPerson {
    try await person(name, role: .administrator, session: .administrator)
  }
}
