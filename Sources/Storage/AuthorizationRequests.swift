public import Domain
import SQL

extension Transaction {
  /// Keeps a checked request under the hash of its handle while the person signs in and decides.
  ///
  /// A pushed one has to be opened before it ends.
  public func insert(
    _ request: AuthorizationRequest, hash: TokenHash, at now: Timestamp,
    lifetime: Int64 = AuthorizationRequest.lifetime
  ) throws {
    try session.run(
      """
      INSERT INTO authorization_request (hash, client_id, redirect_uri, state, response_mode, device_hash, scope,
        code_challenge, prompt, openid, dpop_key, lasts, created_at, expires_at)
      VALUES (\(hash), \(request.client), \(request.redirectURI), \(request.state),
        \(request.responseMode.rawValue), \(request.device), \(request.scope.text), \(request.codeChallenge),
        \(request.prompt?.rawValue), \(request.openID.text), \(request.dpopKey), \(request.lasts), \(now), \(now + lifetime))
      """)
  }

  /// A request that is still waiting, with the time it was made.
  public func authorizationRequest(
    _ hash: TokenHash, at now: Timestamp
  ) throws -> (request: AuthorizationRequest, createdAt: Timestamp)? {
    try session.first(
      """
      SELECT client_id, redirect_uri, state, response_mode, device_hash, scope, code_challenge, prompt, openid,
        dpop_key, lasts, created_at
      FROM authorization_request
      WHERE hash = \(hash) AND finished_at IS NULL AND expires_at > \(now)
      """
    ).map { (try AuthorizationRequest(row: $0), try $0.time("created_at")) }
  }

  /// Gives a person time for a pushed request of the client that pushed it; `false` when there is none such.
  ///
  /// It may be opened again until it is answered, so that loading a page anew does no harm (RFC 9126 §4).
  public func openPushedRequest(_ hash: TokenHash, of client: ClientID, at now: Timestamp) throws -> Bool {
    try session.run(
      """
      UPDATE authorization_request SET expires_at = \(now + AuthorizationRequest.lifetime)
      WHERE hash = \(hash) AND client_id = \(client) AND finished_at IS NULL AND expires_at > \(now)
      """) > 0
  }

  /// Ends a request; `false` when it was ended before, so that one consent yields one code.
  public func finishAuthorizationRequest(_ hash: TokenHash, at now: Timestamp) throws -> Bool {
    try session.first(
      """
      UPDATE authorization_request SET finished_at = \(now)
      WHERE hash = \(hash) AND finished_at IS NULL AND expires_at > \(now) RETURNING hash
      """) != nil
  }

  /// Removes requests that can no longer be granted, at most 500.
  public func deleteAuthorizationRequests(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM authorization_request WHERE hash IN
        (SELECT hash FROM authorization_request WHERE expires_at <= \(now) ORDER BY expires_at, hash LIMIT 500)
      """)
  }
}

extension AuthorizationRequest {
  fileprivate var state: String? { if case .client(_, let state) = recipient { state } else { nil } }

  fileprivate var device: TokenHash? { if case .device(let hash) = recipient { hash } else { nil } }

  init(row: Row) throws {
    let device = try row.optionalBytes("device_hash").map(TokenHash.init(bytes:))
    self.init(
      client: try row.identifier("client_id"),
      to: try device.map { .device($0) }
        ?? .client(redirectURI: try row.text("redirect_uri"), state: try row.optionalText("state")),
      scope: try row.parsed("scope") { Scope($0) }, codeChallenge: try row.optionalText("code_challenge"),
      prompt: try row.optionalText("prompt").flatMap(Prompt.init(rawValue:)), openID: try OpenIDRequest(row: row))
    dpopKey = try row.optionalText("dpop_key")
    lasts = try row.optionalInteger("lasts")
    responseMode = try row.parsed("response_mode") { ResponseMode(rawValue: $0) }
  }
}
