import Crypto
import Domain
import JSON
import Logging
import Storage
import Upstream

/// Tells client apps that a browser session has ended (OpenID Connect Back-Channel Logout).
public struct NotifyClients: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Seconds that a sign-out waits for the apps before it goes on without them.
  private static let patience = Duration.seconds(2)
  /// Seconds for which a logout token counts (§2.4).
  private static let tokenLifetime: Int64 = 120

  /// Writes down, in the transaction that ends a session, which apps have to be told.
  func note(_ session: TokenHash, _ tx: Transaction, at now: Timestamp) throws -> [LogoutNotice] {
    try tx.clients(signedInBy: session).compactMap { id, account in
      guard let client = try tx.client(id), client.options.backchannelLogoutURI != nil else { return nil }
      let notice = LogoutNotice(
        id: .random(), client: id, account: account, sessionID: session.publicID, attempts: 1,
        expiresAt: now + LogoutNotice.lifetime)
      // The outbox waits until the sign-out itself has had its chance.
      try tx.insert(notice, nextAttemptAt: now + 15)
      return notice
    }
  }

  /// Tells the apps all together, and returns when they know or have had long enough; the rest is told later.
  func tell(_ notices: [LogoutNotice]) async {
    guard !notices.isEmpty else { return }
    // Not children of this task: who has waited long enough goes on while they are still being told.
    let (over, isOver) = AsyncStream.makeStream(of: Never.self)
    Task {
      await deliver(notices)
      isOver.finish()
    }
    Task {
      try await Task.sleep(for: Self.patience)
      isOver.finish()
    }
    for await _ in over {}
  }

  /// Tells the apps that could not be told before.
  public func callAsFunction() async throws {
    let now = here.clock.now()
    await deliver(try await here.store.write { try $0.takeDueLogoutNotices(at: now, until: now + 60) })
  }

  private func deliver(_ notices: [LogoutNotice]) async {
    await withDiscardingTaskGroup { group in
      for notice in notices {
        group.addTask {
          do { try await deliver(notice) } catch {
            here.log.error(
              "an app was not told of a sign-out",
              ["client": .string(notice.client.text), "error": .string(String(describing: error))])
          }
        }
      }
    }
  }

  private func deliver(_ notice: LogoutNotice) async throws {
    let now = here.clock.now()
    guard now < notice.expiresAt,
      let client = try await here.knownClients.client(notice.client, in: here.store)?.client,
      let address = client.options.backchannelLogoutURI
    else {
      try await here.store.write { _ = try $0.deleteLogoutNotice(notice.id) }
      return
    }
    let outcome = await here.upstreams.clients.logout(
      try await token(notice, client, at: now).revealedText,
      to: ClientAddress(address, isTrusted: client.isTrusted))
    if case .failed(let why) = outcome {
      here.log.warning(
        "an app does not take the notice of a sign-out",
        ["client": .string(client.id.text), "why": .string(why)])
      let next = now + LogoutNotice.delay(afterAttempts: notice.attempts)
      try await here.store.write { try $0.postpone(notice.id, until: next) }
      return
    }
    let told = here.recording(
      AuditEvent(
        .appSignedOut, outcome == .told ? .success : .failure, at: now, origin: .system, account: notice.account,
        client: client.id))
    try await here.store.write { tx in
      if try tx.deleteLogoutNotice(notice.id) { try told(tx) }
    }
  }

  /// A logout token (§2.4): it has no nonce, so that it passes for no ID token.
  private func token(_ notice: LogoutNotice, _ client: Client, at now: Timestamp) async throws -> Secret {
    let claims = JSONWriter.object { json in
      json.member("iss", here.issuer)
      json.member("aud", client.id.text)
      json.member("sub", notice.account.text)
      json.member("sid", notice.sessionID)
      json.member("iat", now.seconds)
      json.member("exp", (now + Self.tokenLifetime).seconds)
      json.member("jti", Hex.encode(Random.bytes(16)))
      json.member("events", ["http://schemas.openid.net/event/backchannel-logout": [:]] as JSONValue)
    }
    return try await here.sign(claims, type: "logout+jwt", for: client)
  }
}
