public import Domain
import SQL

/// How a person stands towards a vend: what they allow, and what they hold.
///
/// A class, since it is kept and handed on often.
public final class VendStanding: Sendable {
  public let consent: Consent?
  public let credential: Credential?

  public init(consent: Consent?, credential: Credential?) {
    self.consent = consent
    self.credential = credential
  }
}

/// One of our access tokens that came from a person's authorization.
public struct PersonalToken: Sendable {
  public let id: String
  public let family: TokenFamilyID
  /// `nil` for one that is of all generations.
  public let generation: Int64?

  public init(id: String, family: TokenFamilyID, generation: Int64? = nil) {
    self.id = id
    self.family = family
    self.generation = generation
  }
}

extension Transaction {
  /// What `account` allows `client`, and what `holder`, who is the account or the service, holds for `connection`; `nil`
  /// when the account or `token` has ended.
  ///
  /// One statement rather than one for each question: every vend asks them all.
  public func vendStanding(
    of account: AccountID, towards client: ClientID, for connection: ConnectionID?, heldBy holder: AccountID,
    with token: PersonalToken?
  ) throws -> VendStanding? {
    let row = try session.first(
      Statement(
        text: """
          SELECT c.scope, c.connections, c.unattended, c.given_at, k.id, k.account_id, k.connection_id, k.issuer, k.subject,
            k.display_name, k.state, k.generation, k.access_expires_at, k.refresh_expires_at, k.can_refresh,
            k.connected_at, k.refreshed_at, k.last_used_at, k.kept_until, k.kept_session, k.sid, k.offline
          FROM account a
          LEFT JOIN consent c ON c.account_id = a.id AND c.client_id = $1
          LEFT JOIN credential k ON k.account_id = $2 AND k.connection_id = $3
          WHERE a.id = $4 AND a.disabled_at IS NULL
            AND (CAST($5 AS text) IS NULL OR EXISTS (
              SELECT 1 FROM token_family f WHERE f.id = $5 AND f.account_id = $4 AND f.revoked_at IS NULL
                AND f.generation <= $6))
            AND NOT EXISTS (SELECT 1 FROM revoked_token r WHERE r.jti = $7)
          """,
        binding: [
          client.sqlValue, holder.sqlValue, connection?.sqlValue ?? .null, account.sqlValue,
          token?.family.sqlValue ?? .null, .integer(token?.generation ?? .max), .text(token?.id ?? ""),
        ]))
    guard let row else { return nil }
    let consent =
      try row.optionalText("scope") == nil ? nil : Consent(account: account, client: client, standing: row)
    return VendStanding(consent: consent, credential: try row.optionalText("id") == nil ? nil : Credential(row: row))
  }
}

extension Consent {
  fileprivate init(account: AccountID, client: ClientID, standing row: Row) throws {
    self.init(
      account: account, client: client, scope: try row.parsed("scope") { Scope($0) },
      connections: try row.lines("connections").compactMap(ConnectionID.init),
      unattended: try row.lines("unattended").compactMap(ConnectionID.init), givenAt: try row.time("given_at"))
  }
}
