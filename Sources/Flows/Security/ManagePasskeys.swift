import Crypto
public import Domain
import Logging
import Storage
import WebAuthn

/// Adds passkeys to an account with a password, and removes them.
public struct ManagePasskeys: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What a browser needs to make one.
  public struct Options: Sendable {
    public let challenge: String
    public let relyingParty: String
    /// Names the account to the authenticator; says nothing of the person.
    public let userHandle: String
    public let algorithms: String
    /// The authenticators' own ids of those that there are, in base64url.
    public let known: [String]
  }

  /// `nil` where none can be made: our host is an address, the account has no password, or it has enough of them.
  public func options(for account: AccountID) async throws -> Options? {
    let (passkeys, hasPassword) = try await here.store.read { tx in
      (try tx.passkeys(of: account), try tx.password(of: account) != nil)
    }
    guard let party = here.relyingParty, hasPassword, passkeys.count < Passkey.maximumCount else { return nil }
    return Options(
      challenge: here.newChallenge(for: .registration(account)), relyingParty: party.id,
      userHandle: Base64URL.encode(Array(account.text.utf8)),
      algorithms: CredentialKey.algorithms.map(String.init).joined(separator: " "),
      known: passkeys.map { Base64URL.encode($0.credential) })
  }

  /// What the browser made, in base64url as its page sends it.
  public struct Draft: Sendable {
    let name: String
    let clientData: [UInt8]
    let attestation: [UInt8]

    /// `nil` when nothing was made, or it is not readable.
    public init?(name: String, clientData: String, attestation: String) {
      guard let client = Base64URL.decode(clientData), let attestation = Base64URL.decode(attestation),
        !client.isEmpty, !attestation.isEmpty
      else { return nil }
      self.name = DisplayName.plain(name) ?? "Passkey"
      self.clientData = client
      self.attestation = attestation
    }
  }

  public enum Outcome: Sendable {
    /// The codes were made because there were none.
    case added(recoveryCodes: [RecoveryCode])
    /// It is no answer to what was asked here, or came too late.
    case refused
  }

  public func add(_ draft: Draft, to account: AccountID, _ visitor: Visitor) async throws -> Outcome {
    let now = here.clock.now()
    let made: WebAuthn.Registration
    do throws(WebAuthnFailure) {
      guard let party = here.relyingParty else { return .refused }
      made = try WebAuthn.Registration(clientData: draft.clientData, attestation: draft.attestation, for: party)
    } catch {
      here.log.warning("a passkey was not believed", ["why": .string(error.description)])
      return .refused
    }
    guard let challenge = here.challenge(made.challenge, for: .registration(account)) else { return .refused }
    let passkey = Passkey(
      id: .random(), account: account, credential: made.credentialID, name: draft.name,
      algorithm: made.key.algorithm.rawValue, publicKey: made.key.publicKeyInfo, counter: Int64(made.counter),
      isCopied: made.isBackupEligible, createdAt: now)
    let codes = here.newRecoveryCodes()
    let macs = codes.map(here.mac(of:))
    let added = here.recording(
      AuditEvent(.factorAdded, at: now, origin: visitor.origin, account: account, detail: "passkey"))
    var facts = visitor.facts
    facts.passkey = passkey.name
    let news = here.telling(.passkeyAdded, account, facts, at: now)
    let kept: [RecoveryCode]? = try await here.store.write { tx in
      guard try challenge.isTaken(tx), try tx.password(of: account) != nil,
        try tx.passkeys(of: account).count < Passkey.maximumCount
      else { return nil }
      let hadCodes = try tx.secondFactors(of: account).recoveryCodes > 0
      guard try tx.insert(passkey) else { return nil }
      if !hadCodes { try tx.setRecoveryCodes(macs, of: account) }
      try added(tx)
      try news(tx)
      return hadCodes ? [] : codes
    }
    return kept.map(Outcome.added) ?? .refused
  }

  /// Removes one; with the last factor go the recovery codes.
  ///
  /// - Throws: `Refusal` when the account has no such passkey.
  public func remove(_ id: PasskeyID, of account: AccountID, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    let removed = here.recording(
      AuditEvent(.factorRemoved, at: now, origin: visitor.origin, account: account, detail: "passkey"))
    let isGone = try await here.store.write { tx in
      var facts = visitor.facts
      facts.passkey = try tx.passkeys(of: account).first { $0.id == id }?.name
      guard try tx.deletePasskey(id, of: account) else { return false }
      try tx.dropUselessRecoveryCodes(of: account)
      try removed(tx)
      try here.telling(.passkeyRemoved, account, facts, at: now)(tx)
      return true
    }
    guard isGone else { throw Refusal(.notFound, "Your account has no such passkey.") }
  }
}
