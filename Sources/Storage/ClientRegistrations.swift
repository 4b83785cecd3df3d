public import Domain
public import JSON
import SQL

extension Transaction {
  /// Keeps how a client came that registered itself.
  public func insert(_ registration: ClientRegistration, of client: ClientID) throws {
    touchConfiguration()
    try session.run(
      """
      INSERT INTO client_registration (client_id, access_token, token_id, description, checked_at)
      VALUES (\(client), \(registration.accessToken), \(registration.initialToken?.text),
        \(registration.description.text), \(registration.checkedAt))
      """)
  }

  /// How a client registered itself; `nil` for one that an administrator registered.
  public func registration(of client: ClientID) throws -> ClientRegistration? {
    try session.first(
      """
      SELECT access_token, token_id, description, checked_at FROM client_registration WHERE client_id = \(client)
      """
    ).map(ClientRegistration.init(row:))
  }

  /// Replaces what an app says about itself; `isChecked` is whether what an administrator checked is still so.
  public func describe(_ client: ClientID, _ description: ClientDescription, isChecked: Bool) throws {
    touchConfiguration()
    try session.run(
      """
      UPDATE client_registration
      SET description = \(description.text), checked_at = CASE WHEN \(isChecked) = 1 THEN checked_at END
      WHERE client_id = \(client)
      """)
  }

  /// Notes that an administrator knows the app; `false` when that was noted before, or it did not register itself.
  public func checkRegistration(of client: ClientID, at now: Timestamp) throws -> Bool {
    touchConfiguration()
    return try session.run(
      "UPDATE client_registration SET checked_at = \(now) WHERE client_id = \(client) AND checked_at IS NULL") > 0
  }

  /// Takes back what everybody allowed a client that is not what it was when they did, with the tokens that came of it.
  public func endConsents(to client: ClientID, at now: Timestamp) throws {
    try session.run("DELETE FROM consent WHERE client_id = \(client)")
    try endTokens(of: client, at: now)
  }

  /// What the clients are called that administrators registered or checked.
  public func trustedClientNames() throws -> [String] {
    try session.rows(
      """
      SELECT name FROM client
      WHERE NOT EXISTS (SELECT 1 FROM client_registration r WHERE r.client_id = client.id AND r.checked_at IS NULL)
      ORDER BY name, id
      """
    ).map { try $0.text("name") }
  }

  /// How many clients registered themselves that nobody checked.
  public func countUncheckedClients() throws -> Int64 {
    try session.first("SELECT count(*) AS n FROM client_registration WHERE checked_at IS NULL")?.integer("n") ?? 0
  }

  /// Removes clients that registered themselves, that nobody checked, and that got no token since `moment`; at most 100.
  public func deleteUnusedRegistrations(before moment: Timestamp) throws -> [ClientID] {
    let unused: [ClientID] = try session.rows(
      """
      SELECT c.id FROM client c JOIN client_registration r ON r.client_id = c.id
      WHERE r.checked_at IS NULL AND coalesce(c.last_used_at, c.created_at) < \(moment) ORDER BY c.id LIMIT 100
      """
    ).map { try $0.identifier("id") }
    for id in unused { try deleteClient(id) }
    return unused
  }
}

extension ClientRegistration {
  fileprivate init(row: Row) throws {
    self.init(
      accessToken: try row.hash("access_token"),
      initialToken: try row.optionalText("token_id").flatMap(RegistrationTokenID.init),
      description: ClientDescription(try row.parsed("description") { try? JSONValue(parsing: $0) }),
      checkedAt: try row.optionalTime("checked_at"))
  }
}

/// By the registered names (RFC 7591 §2), in the store and wherever a client's metadata is shown.
extension ClientDescription {
  public func write(to json: inout JSONWriter) {
    json.member("application_type", applicationType.rawValue)
    Self.addresses.forEach { name, path in json.member(name, ifPresent: self[keyPath: path]) }
    if !contacts.isEmpty { json.member("contacts", contacts) }
    json.member("software_id", ifPresent: softwareID)
    json.member("software_version", ifPresent: softwareVersion)
  }

  /// Reads what ``write(to:)`` wrote.
  init(_ json: JSONValue) {
    self.init()
    applicationType = json.string("application_type").flatMap(ClientMetadata.ApplicationType.init) ?? applicationType
    for (name, path) in Self.addresses { self[keyPath: path] = json.string(name) }
    contacts = json.strings("contacts") ?? []
    softwareID = json.string("software_id")
    softwareVersion = json.string("software_version")
  }

  /// The text of the column `description`.
  fileprivate var text: String { String(decoding: JSONWriter.object { write(to: &$0) }, as: UTF8.self) }
}
