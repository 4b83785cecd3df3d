public import Domain
import SQL

extension Transaction {
  /// Keeps a device's request under its codes; `userCode` is the MAC of the short one.
  ///
  /// - Returns: `false` when another request has that short code.
  public func insert(_ device: DeviceAuthorization, userCode: TokenHash) throws -> Bool {
    try session.run(
      """
      INSERT INTO device_authorization (hash, user_code, client_id, scope, address, created_at, expires_at,
        poll_interval, state)
      VALUES (\(device.hash), \(userCode), \(device.client), \(device.scope.text), \(device.address),
        \(device.createdAt), \(device.expiresAt), \(device.interval), \(device.state.rawValue))
      ON CONFLICT (user_code) DO NOTHING
      """) > 0
  }

  public func deviceAuthorization(_ hash: TokenHash) throws -> DeviceAuthorization? {
    try session.first("SELECT \(.deviceColumns) FROM device_authorization WHERE hash = \(hash)")
      .map(DeviceAuthorization.init(row:))
  }

  /// The request that a person may still decide about.
  public func waitingDevice(userCode: TokenHash, at now: Timestamp) throws -> DeviceAuthorization? {
    try session.first(
      """
      SELECT \(.deviceColumns) FROM device_authorization
      WHERE user_code = \(userCode) AND state = \(DeviceAuthorization.State.waiting.rawValue) AND expires_at > \(now)
      """
    ).map(DeviceAuthorization.init(row:))
  }

  /// Notes that the device asked, and how long it has to wait until it asks again.
  public func noteQuestion(of device: TokenHash, interval: Int64, at now: Timestamp) throws {
    try session.run(
      "UPDATE device_authorization SET asked_at = \(now), poll_interval = \(interval) WHERE hash = \(device)")
  }

  /// Allows a device what it asked for; `false` when that was decided before, or has expired.
  public func allow(_ device: TokenHash, by decider: DeviceAuthorization.Decider, at now: Timestamp) throws -> Bool {
    try session.run(
      """
      UPDATE device_authorization SET state = \(DeviceAuthorization.State.allowed.rawValue),
        account_id = \(decider.account), session_hash = \(decider.session),
        authenticated_at = \(decider.authenticatedAt)
      WHERE hash = \(device) AND state = \(DeviceAuthorization.State.waiting.rawValue) AND expires_at > \(now)
      """) > 0
  }

  /// Denies a device what it asked for; `false` when that was decided before, or has expired.
  @discardableResult
  public func deny(_ device: TokenHash, at now: Timestamp) throws -> Bool {
    try session.run(
      """
      UPDATE device_authorization SET state = \(DeviceAuthorization.State.denied.rawValue)
      WHERE hash = \(device) AND state = \(DeviceAuthorization.State.waiting.rawValue) AND expires_at > \(now)
      """) > 0
  }

  /// Uses up a device code; `false` when somebody was faster.
  public func deleteDeviceAuthorization(_ hash: TokenHash) throws -> Bool {
    try session.run("DELETE FROM device_authorization WHERE hash = \(hash)") > 0
  }

  /// Removes requests that nobody can use any more, at most 500.
  public func deleteDeviceAuthorizations(expiredBefore limit: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM device_authorization WHERE hash IN
        (SELECT hash FROM device_authorization WHERE expires_at <= \(limit) ORDER BY expires_at, hash LIMIT 500)
      """)
  }
}

extension DeviceAuthorization {
  init(row: Row) throws {
    self.init(
      hash: try row.hash("hash"), client: try row.identifier("client_id"), scope: try row.parsed("scope") { Scope($0) },
      address: try row.text("address"), createdAt: try row.time("created_at"), expiresAt: try row.time("expires_at"))
    interval = try row.integer("poll_interval")
    askedAt = try row.optionalTime("asked_at")
    state = try row.parsed("state", State.init(rawValue:))
    guard state == .allowed else { return }
    decider = Decider(
      account: try row.identifier("account_id"), session: try row.hash("session_hash"),
      authenticatedAt: try row.time("authenticated_at"))
  }
}

extension Columns {
  fileprivate static let deviceColumns = Columns(
    """
    hash, client_id, scope, address, created_at, expires_at, poll_interval, asked_at, state, account_id, session_hash,
    authenticated_at
    """)
}
