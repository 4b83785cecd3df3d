public import Domain
import SQL

extension Transaction {
  /// Begins a refresh: wins the lease and sets aside room for the answer; `false` while another attempt stands.
  ///
  /// The credential must still be active in `generation`.
  public func beginRefresh(
    _ id: RefreshAttemptID, of credential: CredentialID, generation: Int64, leaseUntil: Timestamp
  ) throws -> Bool {
    let room = [UInt8](repeating: 0, count: RefreshAttempt.reservedAnswerBytes)
    return try session.first(
      """
      INSERT INTO refresh_attempt (id, credential_id, generation, posts, lease_until, box)
      SELECT \(id), id, generation, 1, \(leaseUntil), \(room) FROM credential
      WHERE id = \(credential) AND generation = \(generation) AND state = 'active'
      ON CONFLICT (credential_id) DO NOTHING
      RETURNING id
      """) != nil
  }

  public func refreshAttempt(of credential: CredentialID) throws -> RefreshAttempt? {
    try session.first("SELECT \(.attemptColumns) FROM refresh_attempt WHERE credential_id = \(credential)")
      .map(RefreshAttempt.init(row:))
  }

  /// The attempts whose holder is gone, oldest lease first.
  public func abandonedRefreshAttempts(at now: Timestamp) throws -> [RefreshAttempt] {
    try session.rows(
      """
      SELECT \(.attemptColumns) FROM refresh_attempt WHERE lease_until <= \(now) ORDER BY lease_until, id LIMIT 100
      """
    ).map(RefreshAttempt.init(row:))
  }

  /// Ends every lease at once; only for who knows that nobody who holds one is alive.
  public func endLeases(at now: Timestamp) throws {
    try session.run("UPDATE refresh_attempt SET lease_until = \(now) WHERE lease_until > \(now)")
  }

  /// Wins an expired lease, counting one more request if one is about to be sent; `false` when somebody was faster.
  public func takeOver(
    _ attempt: RefreshAttempt, posts: Int64, leaseUntil: Timestamp, at now: Timestamp
  ) throws -> Bool {
    try session.first(
      """
      UPDATE refresh_attempt SET posts = \(posts), lease_until = \(leaseUntil)
      WHERE id = \(attempt.id) AND lease_until = \(attempt.leaseUntil) AND lease_until <= \(now)
      RETURNING id
      """) != nil
  }

  /// Records the upstream's answer: the first act after it was read.
  public func recordAnswer(_ answer: Sealed, of id: RefreshAttemptID, at now: Timestamp) throws -> Bool {
    try session.first(
      """
      UPDATE refresh_attempt SET kek_id = \(answer.kekID), wrapped_key = \(answer.wrappedKey), box = \(answer.box),
        answered_at = \(now)
      WHERE id = \(id) AND answered_at IS NULL RETURNING id
      """) != nil
  }

  /// Ends an attempt; `false` when its lease is not `attempt`'s any more: whoever took it over ends it.
  @discardableResult
  public func endRefresh(_ attempt: RefreshAttempt) throws -> Bool {
    try session.run(
      """
      DELETE FROM refresh_attempt
      WHERE id = \(attempt.id) AND lease_until = \(attempt.leaseUntil) AND posts = \(attempt.posts)
      """) > 0
  }

  /// Gives the lease back at once, so that the next caller need not wait for its end; `false` when it was lost before.
  ///
  /// From now on the refresh token counts as presented `posts` times.
  @discardableResult
  public func releaseLease(of attempt: RefreshAttempt, posts: Int64, at now: Timestamp) throws -> Bool {
    try session.run(
      """
      UPDATE refresh_attempt SET lease_until = \(now), posts = \(posts)
      WHERE id = \(attempt.id) AND lease_until = \(attempt.leaseUntil) AND posts = \(attempt.posts)
      """) > 0
  }
}

extension RefreshAttempt {
  init(row: Row) throws {
    let answered = try row.optionalInteger("answered_at") != nil
    self.init(
      id: try row.identifier("id"), credential: try row.identifier("credential_id"),
      generation: try row.integer("generation"), posts: try row.integer("posts"),
      leaseUntil: try row.time("lease_until"),
      answer: answered ? try row.sealed() : nil)
  }
}

extension Columns {
  static let attemptColumns = Columns(
    "id, credential_id, generation, posts, lease_until, answered_at, kek_id, wrapped_key, box")
}
