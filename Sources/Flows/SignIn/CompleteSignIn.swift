public import Domain
import Logging
import Storage
import Upstream

/// Completes a trip to an upstream: redeems the code on the server, finds or makes the account, seals the tokens.
public struct CompleteSignIn: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What the browser brought back.
  public struct Callback: Sendable {
    let connection: ConnectionID
    let state: String
    let code: String?
    let error: String?
    let issuer: String?

    public init(connection: ConnectionID, state: String, code: String?, error: String?, issuer: String?) {
      self.connection = connection
      self.state = state
      self.code = code
      self.error = error
      self.issuer = issuer
    }
  }

  public enum Outcome: Sendable {
    /// A new session in this browser.
    case signedIn(NewSession, returnPath: String)
    /// The account of the session that asked now holds the credential.
    case connected(returnPath: String)
    /// Nothing was connected: the account is known there as somebody else, so the person has to agree first.
    case otherIdentity(Replacement)
    /// The same callback again, after it was settled.
    case doneBefore(returnPath: String)
    /// The person pressed Cancel at the upstream.
    case cancelled(Connection, returnPath: String)
    case refused(Reason)
  }

  /// What a person is asked who came back from an upstream as somebody else than before.
  public struct Replacement: Sendable {
    public let connection: Connection
    /// Who the account was there, and who came now, in words for the page.
    public let before: String
    public let offered: String
    /// Stands for the offered identity when the next trip begins (``BeginSignIn``).
    public let mark: String
    public let keeping: Keeping
    public let returnPath: String
  }

  /// Why nothing was connected, for the page that explains it.
  public enum Reason: Sendable, Equatable {
    /// The trip is unknown here, has expired, or began in another browser or session.
    case unknownTrip
    /// Nobody invited the person, or the invitation whose link they opened is over or meant for somebody else.
    case notAdmitted(Connection, identity: String, hasInvitation: Bool)
    case accountDisabled
    /// The identity belongs to an account that is signed in to with its password here.
    case localAccount(Connection, identity: String)
    /// The identity belongs to another account.
    case linkedElsewhere(Connection, identity: String)
    /// The upstream said no, or said nothing sensible.
    case upstream(Connection, UpstreamFailure, returnPath: String)
  }

  /// Settles a callback.
  ///
  /// `browser` is the hash of the cookie that the trip was bound to; `signedIn` is the session in this browser, if any:
  /// a sign-in ends it.
  public func callAsFunction(
    _ callback: Callback, browser: TokenHash, signedIn: SignedIn?, _ visitor: Visitor
  ) async throws -> Outcome {
    let now = here.clock.now()
    let stateHash = TokenHash(of: callback.state)
    guard let (attempt, sealed) = try await consume(stateHash, browser, at: now) else {
      let finished = try await here.store.read { try $0.finishedSignInAttempt(stateHash, browser: browser) }
      guard let finished, finished.connection == callback.connection else { return .refused(.unknownTrip) }
      return .doneBefore(returnPath: finished.returnPath)
    }
    // An answer at another connection's address is a mix-up (RFC 9700 §4.4): the trip is over, nothing is redeemed.
    guard attempt.connection == callback.connection,
      let connection = try await here.store.read({ try $0.connection(attempt.connection) }),
      connection.revision == attempt.connectionRevision, !connection.isDisabled
    else { return .refused(.unknownTrip) }
    let secrets = try SignInSecrets(unsealed: here.vault.open(sealed, in: attempt.sealContext))
    do {
      let registration = try await here.registration(for: connection, of: signedIn?.account.id)
      guard let code = try await code(of: callback, registration) else {
        return .cancelled(connection, returnPath: attempt.returnPath)
      }
      guard let (upstream, held) = try await redeem(code, secrets, callback.issuer, registration, at: now) else {
        return .refused(.unknownTrip)
      }
      let arrival = Arrival(
        here: here, registration: registration, attempt: attempt, upstream: upstream, held: held,
        replacement: secrets.replacement, keeping: secrets.keeping, now: now)
      return try await arrival.settle(signedIn, visitor)
    } catch let failure as UpstreamFailure {
      here.log.warning(
        "sign-in at an upstream failed",
        ["connection": .string(connection.id.text), "why": .string(failure.text)])
      return .refused(.upstream(connection, failure, returnPath: attempt.returnPath))
    }
  }

  /// Uses the trip up, in one statement that only one caller can win.
  ///
  /// Looks first: anybody can send states that were never given out, and a write costs much more than a look.
  private func consume(
    _ stateHash: TokenHash, _ browser: TokenHash, at now: Timestamp
  ) async throws -> (SignInAttempt, Sealed)? {
    guard try await here.store.read({ try $0.isOpenSignInAttempt(stateHash, browser: browser, at: now) }) else {
      return nil
    }
    return try await here.store.write { try $0.consumeSignInAttempt(stateHash, browser: browser, at: now) }
  }

  /// The code, or `nil` when the person cancelled; errors are believed only from the right issuer (RFC 9207 §2.4).
  private func code(of callback: Callback, _ registration: Registration) async throws -> String? {
    guard let error = callback.error else {
      guard let code = callback.code, (1...4096).contains(code.utf8.count) else {
        throw UpstreamFailure.invalidAnswer("The browser came back without a code.")
      }
      return code
    }
    try await here.upstreams.browserKind(of: registration.connection).checkIssuer(callback.issuer, registration)
    guard error == "access_denied", callback.code == nil else {
      throw UpstreamFailure.refused("The browser came back with an error instead of a code.")
    }
    return nil
  }

  /// Gets the tokens, and finds out whose they are; `nil` when the connection was deleted meanwhile.
  ///
  /// Until they have an owner they stand in the outbox, so that a sign-in which is not completed, even by a crash, leaves
  /// none behind that works. Only those are lost that come while the process dies, before anything could be written.
  private func redeem(
    _ code: String, _ secrets: SignInSecrets, _ issuer: String?, _ registration: Registration, at now: Timestamp
  ) async throws -> (Upstream.SignedIn, RevocationID)? {
    let back = SignInReturn(
      code: Secret(code), issuer: issuer, verifier: secrets.verifier, nonce: secrets.nonce)
    let kind = try here.upstreams.browserKind(of: registration.connection)
    let redeemed = try await kind.redeem(back, registration, now: now)
    guard let held = try await hold(redeemed.tokens, registration) else { return nil }
    Failpoint.signInRedeemed.reach()
    let signedIn: Upstream.SignedIn
    do { signedIn = try await kind.identify(redeemed, nonce: secrets.nonce, registration, now: now) } catch {
      let now = here.clock.now()
      try await here.store.write { try $0.postpone(held, until: now) }
      throw error
    }
    return (signedIn, held)
  }

  /// Puts tokens that nobody owns yet into the outbox, which revokes them unless they get an owner before.
  ///
  /// What cannot be kept is revoked at once; then the result is `nil` if the connection is gone.
  private func hold(_ tokens: UpstreamTokens, _ registration: Registration) async throws -> RevocationID? {
    let (connection, now) = (registration.connection, here.clock.now())
    let held = Revocation(
      id: .random(), account: .random(), connection: connection.id, attempts: 0,
      nextAttemptAt: now + Self.longestIdentification, expiresAt: now + Revocation.lifetime)
    let sealed = try here.seal(tokens, for: held, connection)
    do {
      let isHeld = try await here.store.write { tx in
        guard try tx.connection(connection.id) != nil else { return false }
        try tx.insert(held, tokens: sealed)
        return true
      }
      if isHeld { return held.id }
      await here.revokeNow(tokens, registration)
      return nil
    } catch {
      await here.revokeNow(tokens, registration)
      throw error
    }
  }

  /// In seconds; some requests of ten seconds each, and a transaction.
  private static let longestIdentification: Int64 = 120
}
