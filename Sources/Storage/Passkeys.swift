public import Domain
import SQL

extension Transaction {
  /// Keeps a new passkey; `false` when its authenticator knows it by an id that is taken.
  public func insert(_ passkey: Passkey) throws -> Bool {
    try session.run(
      """
      INSERT INTO passkey (id, account_id, credential, name, algorithm, public_key, counter, is_copied, created_at,
        last_used_at)
      VALUES (\(passkey.id), \(passkey.account), \(passkey.credential), \(passkey.name), \(passkey.algorithm),
        \(passkey.publicKey), \(passkey.counter), \(passkey.isCopied), \(passkey.createdAt), \(passkey.lastUsedAt))
      ON CONFLICT (credential) DO NOTHING
      """) > 0
  }

  /// The passkeys of an account, the oldest first.
  public func passkeys(of account: AccountID) throws -> [Passkey] {
    try session.rows(
      "SELECT \(.passkeyColumns) FROM passkey WHERE account_id = \(account) ORDER BY created_at, id"
    ).map(Passkey.init(row:))
  }

  /// The passkey that an authenticator knows by this id.
  public func passkey(credential: [UInt8]) throws -> Passkey? {
    try session.first("SELECT \(.passkeyColumns) FROM passkey WHERE credential = \(credential)").map(Passkey.init(row:))
  }

  /// Takes note of a use; `false` when the passkey is gone or was used meanwhile.
  public func use(_ passkey: Passkey, counter: Int64, at now: Timestamp) throws -> Bool {
    try session.run(
      """
      UPDATE passkey SET counter = \(counter), last_used_at = \(now)
      WHERE id = \(passkey.id) AND counter = \(passkey.counter)
      """) > 0
  }

  /// `false` when the account has no such passkey.
  public func deletePasskey(_ id: PasskeyID, of account: AccountID) throws -> Bool {
    try session.run("DELETE FROM passkey WHERE id = \(id) AND account_id = \(account)") > 0
  }

  public func deletePasskeys(of account: AccountID) throws {
    try session.run("DELETE FROM passkey WHERE account_id = \(account)")
  }

  /// Uses up a challenge that counts until `end`; `false` when it was used before.
  public func useChallenge(_ hash: TokenHash, until end: Timestamp) throws -> Bool {
    try session.run(
      "INSERT INTO used_challenge (hash, expires_at) VALUES (\(hash), \(end)) ON CONFLICT (hash) DO NOTHING") > 0
  }

  /// Forgets challenges that nobody would believe any more, at most 500.
  public func deleteUsedChallenges(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM used_challenge WHERE hash IN
        (SELECT hash FROM used_challenge WHERE expires_at <= \(now) ORDER BY expires_at, hash LIMIT 500)
      """)
  }
}

extension Passkey {
  init(row: Row) throws {
    self.init(
      id: try row.identifier("id"), account: try row.identifier("account_id"), credential: try row.bytes("credential"),
      name: try row.text("name"), algorithm: try row.text("algorithm"), publicKey: try row.bytes("public_key"),
      counter: try row.integer("counter"), isCopied: try row.flag("is_copied"), createdAt: try row.time("created_at"),
      lastUsedAt: try row.optionalTime("last_used_at"))
  }
}

extension Columns {
  fileprivate static let passkeyColumns = Columns(
    "id, account_id, credential, name, algorithm, public_key, counter, is_copied, created_at, last_used_at")
}
