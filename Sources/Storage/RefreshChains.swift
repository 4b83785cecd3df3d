public import Domain
import SQL

extension Transaction {
  public func insert(_ chain: RefreshChain) throws {
    try session.run(
      """
      INSERT INTO refresh_chain (id, family_id, hash, expires_at, replays)
      VALUES (\(chain.id), \(chain.family), \(chain.current), \(chain.expiresAt), 0)
      """)
  }

  /// A chain with its family and whose it is, whatever their state.
  public func refreshChain(_ id: TokenHash) throws -> (chain: RefreshChain, family: TokenFamily, account: Account)? {
    try session.first(
      """
      SELECT f.id, f.client_id, f.account_id, f.session_hash, f.scope, f.openid, f.authenticated_at, f.expires_at,
        f.revoked_at, f.binding, f.generation, c.hash, c.expires_at AS rests_until, c.former, c.rotated_at, c.successor,
        c.replays, a.name, a.username, a.role, a.disabled_at, a.created_at
      FROM refresh_chain c JOIN token_family f ON f.id = c.family_id JOIN account a ON a.id = f.account_id
      WHERE c.id = \(id)
      """
    ).map { row in
      let family = try TokenFamily(row: row)
      return (try RefreshChain(id, of: family.id, row), family, try Account(family.account, row))
    }
  }

  /// Exchanges the token that counts, `former`, for `next`; `false` when somebody was faster.
  ///
  /// `sealedSuccessor` is the new token under a key derived from the former one. One row changes, however long the chain
  /// is: what came before `former` is forgotten, since its successor has arrived.
  public func rotate(
    _ chain: TokenHash, from former: TokenHash, to next: TokenHash, until end: Timestamp, sealedSuccessor: [UInt8],
    at now: Timestamp
  ) throws -> Bool {
    try session.run(
      """
      UPDATE refresh_chain SET hash = \(next), expires_at = \(end), former = \(former), rotated_at = \(now),
        successor = \(sealedSuccessor), replays = 0
      WHERE id = \(chain) AND hash = \(former)
      """) > 0
  }

  /// Lets a token that is not exchanged for another go on.
  public func extendRefreshChain(_ id: TokenHash, until end: Timestamp) throws {
    try session.run("UPDATE refresh_chain SET expires_at = \(end) WHERE id = \(id)")
  }

  /// Counts that a successor was handed out once more.
  public func countReplay(_ id: TokenHash) throws {
    try session.run("UPDATE refresh_chain SET replays = replays + 1 WHERE id = \(id)")
  }

  /// Forgets successors whose window has passed, at most 500.
  public func deleteSuccessors(rotatedBefore limit: Timestamp) throws -> Int {
    try session.run(
      """
      UPDATE refresh_chain SET successor = NULL WHERE id IN
        (SELECT id FROM refresh_chain WHERE successor IS NOT NULL AND rotated_at <= \(limit)
         ORDER BY rotated_at, id LIMIT 500)
      """)
  }
}

extension RefreshChain {
  fileprivate init(_ id: TokenHash, of family: TokenFamilyID, _ row: Row) throws {
    let (current, expiresAt) = (try row.hash("hash"), try row.time("rests_until"))
    let former = try row.optionalHash("former").map { hash in
      Former(
        hash: hash, rotatedAt: try row.time("rotated_at"), successor: try row.optionalBytes("successor"),
        replays: try row.integer("replays"))
    }
    self.init(id: id, family: family, current: current, expiresAt: expiresAt, former: former)
  }
}
