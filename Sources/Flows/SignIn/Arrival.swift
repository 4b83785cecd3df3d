import Domain
import Logging
import Storage
import Upstream

/// Somebody back from an upstream, proven to be `upstream.identity` there: finds out whose account that is.
struct Arrival: Sendable {
  let here: Installation
  let registration: Registration
  let attempt: SignInAttempt
  let upstream: Upstream.SignedIn
  /// Where its tokens stand in the outbox until somebody owns them; `nil` for tokens that cannot be revoked.
  let held: RevocationID?
  /// The mark of the identity that the person agreed to connect in place of another, if they did.
  let replacement: String?
  /// How long the person wants it to be kept.
  let keeping: Keeping
  let now: Timestamp

  private var connection: Connection { registration.connection }
  private var identity: UpstreamIdentity { upstream.identity }

  /// Settles everything in one transaction, so that two browsers arriving at once make one account, and a sign-out at
  /// the same moment is either before all of it or after all of it.
  func settle(_ signedIn: SignedIn?, _ visitor: Visitor) async throws -> CompleteSignIn.Outcome {
    let outcome: CompleteSignIn.Outcome? = try await here.store.write { tx in
      // The connection may have been deleted or switched off while the upstream answered.
      guard let current = try tx.connection(connection.id), current.isSameRegistration(as: connection) else {
        return nil
      }
      // It took so long that the outbox may have revoked them.
      if let held, try !tx.isUntouched(held) { return .refused(.unknownTrip) }
      guard !current.isDisabled else { return try refuse(.unknownTrip, tx) }
      switch attempt.purpose {
      case .connect(let account):
        // The session may have ended, or somebody else may have signed in, while the person was away.
        guard let signedIn, signedIn.account.id == account, try isLive(signedIn, tx) else {
          return try refuse(.unknownTrip, tx)
        }
        return try connect(account, signedIn.session.hash, tx, visitor)
      case .signIn: return try signIn(tx, signedIn, invitedBy: nil, visitor)
      case .acceptInvitation(let link): return try signIn(tx, signedIn, invitedBy: link, visitor)
      }
    }
    if let outcome { return outcome }
    await here.revokeNow(upstream.tokens, registration)
    return .refused(.unknownTrip)
  }

  private func isLive(_ signedIn: SignedIn, _ tx: Transaction) throws -> Bool {
    guard let (session, account) = try tx.session(signedIn.session.hash) else { return false }
    return session.isLive(at: now) && !account.isDisabled
  }

  private func connect(
    _ account: AccountID, _ session: TokenHash, _ tx: Transaction, _ visitor: Visitor
  ) throws -> CompleteSignIn.Outcome {
    if let owner = try tx.account(of: identity), owner.id != account {
      guard connection.kind.isNetwork, try tx.credential(of: owner.id, for: connection.id) == nil else {
        return try refuse(.linkedElsewhere(connection, identity: identity.displayName), tx)
      }
      // Nobody signs in with such an identity: it is theirs who can prove it now, and holds for nothing of before.
      try tx.withdrawConsents(of: owner.id, to: connection.id, at: now)
    }
    if let before = try tx.otherIdentity(than: identity, of: account), replacement != identity.mark {
      if let held { try tx.postpone(held, until: now) }
      return .otherIdentity(
        .init(
          connection: connection, before: before.displayName, offered: identity.displayName, mark: identity.mark,
          keeping: keeping, returnPath: attempt.returnPath))
    }
    try tx.renewUpstreamSession(upstream.sessionID, of: identity, for: session)
    try keep(account, session, keeping, tx, visitor)
    return .connected(returnPath: attempt.returnPath)
  }

  private func signIn(
    _ tx: Transaction, _ signedIn: SignedIn?, invitedBy link: TokenHash?, _ visitor: Visitor
  ) throws -> CompleteSignIn.Outcome {
    let known = try tx.account(of: identity)
    if let known, known.isDisabled {
      try record(.signInFailed, .failure, known.id, tx, visitor, detail: "disabled")
      return try refuse(.accountDisabled, tx)
    }
    // Else whoever held its session for a moment could connect a service of theirs, and come back by that for good, past
    // its password and its second step.
    if let known, try tx.password(of: known.id) != nil {
      try record(.signInFailed, .failure, known.id, tx, visitor, detail: "has a password here")
      return try refuse(.localAccount(connection, identity: identity.displayName), tx)
    }
    guard let account = try known ?? newAccount(invitedBy: link, tx, visitor) else {
      try record(.signInFailed, .failure, nil, tx, visitor, detail: "not admitted")
      let reason = CompleteSignIn.Reason.notAdmitted(
        connection, identity: identity.displayName, hasInvitation: link != nil)
      return try refuse(reason, tx)
    }
    let (session, begin) = here.beginning(.person, of: account, by: .upstream, visitor, at: now)
    try begin(tx)
    let hash = session.hash
    if let signedIn { try tx.end(signedIn.session.hash, succeededBy: hash, of: account.id) }
    if connection.takesLogoutTokens { try tx.insertUpstreamSession(upstream.sessionID, of: identity, for: hash) }
    try keep(account.id, hash, try chosenKeeping(of: account.id, tx), tx, visitor)
    try record(.signInSucceeded, .success, account.id, tx, visitor)
    return .signedIn(session, returnPath: attempt.returnPath)
  }

  /// Makes the account of somebody new, using up the invitation that they have; `nil` when nothing admits them.
  private func newAccount(invitedBy link: TokenHash?, _ tx: Transaction, _ visitor: Visitor) throws -> Account? {
    let name = upstream.provenName
    let linked = try link.flatMap { try tx.openInvitation($0, at: now) }
    var invitation = linked.flatMap { $0.admits(identity, provenName: name) ? $0 : nil }
    if invitation == nil {
      invitation = try tx.openInvitation(to: connection.id, naming: identity.subject, or: name, at: now)
    }
    let isAdmitted = connection.admission.admits(identity, provenName: name, list: connection.admitted)
    guard isAdmitted || invitation != nil else { return nil }
    let account = Account(
      id: .random(), name: invitation?.name ?? identity.displayName, username: nil, role: .person, createdAt: now)
    try tx.insert(account)
    try record(.accountCreated, .success, account.id, tx, visitor)
    if let invitation, try tx.finishInvitation(invitation.id, at: now) != nil {
      try record(.invitationAccepted, .success, account.id, tx, visitor, detail: invitation.id.text)
    }
    return account
  }

  /// What the person chose when they connected: a sign-in says nothing else about it.
  private func chosenKeeping(of account: AccountID, _ tx: Transaction) throws -> Keeping {
    guard let held = try tx.credential(of: account, for: connection.id), held.state != .closing else {
      return .untilSignOut
    }
    return held.session != nil ? .thisBrowser : held.keptUntil.map(Keeping.until) ?? .untilSignOut
  }

  /// Links the identity and keeps its tokens; those of before go to the outbox, and what was allowed for somebody else
  /// there ends.
  ///
  /// `session` is the one of the browser that asked.
  private func keep(
    _ account: AccountID, _ session: TokenHash, _ keeping: Keeping, _ tx: Transaction, _ visitor: Visitor
  ) throws {
    let tokens = upstream.tokens
    if try tx.otherIdentity(than: identity, of: account) != nil {
      try tx.withdrawConsents(of: account, to: connection.id, at: now)
      try tx.unlinkOtherIdentities(than: identity, of: account)
      try record(.consentWithdrawn, .success, account, tx, visitor, detail: "another person at the connection")
    }
    try giveBackHeld(account, tx)
    let credential = Credential(of: account, upstream, asking: connection.scopes, at: now)
      .kept(keeping, session: session, longestDays: connection.longestKeptDays, at: now)
    if let held { try tx.deleteRevocation(held) }
    try tx.link(identity, to: account, at: now)
    let wasBroken = try tx.wasToldBroken(of: account, for: connection.id)
    try tx.put(credential, tokens: here.seal(tokens, of: credential.id, account, connection))
    if wasBroken { try here.tellRecovered(account, connection.id, tx, at: now) }
    try record(.connected, .success, account, tx, visitor)
  }

  /// Hands the tokens being replaced to the outbox, so that they do not live on at the upstream.
  private func giveBackHeld(_ account: AccountID, _ tx: Transaction) throws {
    guard connection.kind.canRevoke else { return }
    // What is being closed stands in the outbox already.
    guard let (held, sealed) = try tx.sealedCredential(of: account, for: connection.id), held.state != .closing else {
      return
    }
    do {
      try giveBack(here.unseal(sealed, of: held, connection), account, tx)
    } catch KeyFailure.notAuthentic {
      // Orphaned by changed endpoints: nobody can read these tokens any more, so nobody can revoke them.
      return
    }
  }

  private func giveBack(_ tokens: UpstreamTokens, _ account: AccountID, _ tx: Transaction) throws {
    let revocation = Revocation(
      id: .random(), account: account, connection: connection.id, attempts: 0, nextAttemptAt: now,
      expiresAt: now + Revocation.lifetime)
    try tx.insert(revocation, tokens: here.seal(tokens, for: revocation, connection))
  }

  /// Nothing is connected, and the tokens that nobody will use are revoked.
  private func refuse(
    _ reason: CompleteSignIn.Reason, _ tx: Transaction
  ) throws -> CompleteSignIn.Outcome {
    if let held { try tx.postpone(held, until: now) }
    return .refused(reason)
  }

  private func record(
    _ name: AuditEvent.Name, _ outcome: AuditEvent.Outcome, _ account: AccountID?, _ tx: Transaction,
    _ visitor: Visitor, detail: String? = nil
  ) throws {
    let event = AuditEvent(
      name, outcome, at: now, origin: visitor.origin, account: account, connection: connection.id, detail: detail)
    try here.recording(event)(tx)
  }
}

extension Credential {
  /// What `account` holds from now on; `scopes` are those that were asked for, and granted if the upstream says nothing
  /// else (RFC 6749 §5.1).
  init(of account: AccountID, _ upstream: Upstream.SignedIn, asking scopes: [String] = [], at now: Timestamp) {
    let (tokens, identity) = (upstream.tokens, upstream.identity)
    self.init(
      id: .random(), account: account, connection: identity.connection, identity: identity, state: .active,
      generation: 1, accessExpiresAt: tokens.accessExpiresAt, refreshExpiresAt: tokens.refreshExpiresAt,
      canRefresh: tokens.canRenew, connectedAt: now, refreshedAt: now, lastUsedAt: nil)
    upstreamSessionID = upstream.sessionID
    isOffline = (tokens.scope?.split(separator: " ").map(String.init) ?? scopes).contains(Scope.offlineAccess)
  }
}

extension Connection {
  /// Whether what `other` got tokens from is still what stands here; another one may have taken the id.
  fileprivate func isSameRegistration(as other: Connection) -> Bool {
    origin == other.origin && clientID == other.clientID && revision == other.revision
  }
}

extension Installation {
  /// Tells an upstream at once, and only once, of tokens that no outbox can hold.
  func revokeNow(_ tokens: UpstreamTokens, _ registration: Registration) async {
    do {
      _ = try await upstreams.kind(of: registration.connection).revoke(tokens, registration)
    } catch {
      log.warning(
        "tokens that could not be stored were not revoked either",
        ["connection": .string(registration.connection.id.text), "why": .string(error.text)])
    }
  }
}
