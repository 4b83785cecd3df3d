public import Domain
import SQL

/// A random key of ours for one purpose, sealed.
public struct PurposeKey: Sendable {
  public let id: String
  public let purpose: String
  public let sealed: Sealed

  public init(id: String, purpose: String, sealed: Sealed) {
    self.id = id
    self.purpose = purpose
    self.sealed = sealed
  }
}

/// A key that signs our tokens; the private half is sealed.
public struct StoredSigningKey: Sendable {
  /// Also the `kid`.
  public let id: String
  /// The JOSE name, for example `ES256`.
  public let algorithm: String
  /// DER of the SubjectPublicKeyInfo (RFC 5280 §4.1).
  public let publicKey: [UInt8]
  /// PKCS #8 DER of the private key, sealed.
  public let sealed: Sealed
  /// Since when it is published.
  public let createdAt: Timestamp
  /// Since when it signs, or from when it will.
  public let signsFrom: Timestamp

  public init(
    id: String, algorithm: String, publicKey: [UInt8], sealed: Sealed, createdAt: Timestamp, signsFrom: Timestamp
  ) {
    self.id = id
    self.algorithm = algorithm
    self.publicKey = publicKey
    self.sealed = sealed
    self.createdAt = createdAt
    self.signsFrom = signsFrom
  }
}

extension Transaction {
  /// The check values of the key-encryption keys that wrapped anything here, by id.
  public func kekCheckValues() throws -> [(id: String, checkValue: [UInt8])] {
    try session.rows("SELECT id, check_value FROM kek ORDER BY created_at, id").map {
      (try $0.text("id"), try $0.bytes("check_value"))
    }
  }

  public func insertKEK(id: String, checkValue: [UInt8], at now: Timestamp) throws {
    try session.run("INSERT INTO kek (id, check_value, created_at) VALUES (\(id), \(checkValue), \(now))")
  }

  /// How many sealed values each key-encryption key wraps, by table.
  public func sealedCounts() throws -> [(table: String, kekID: String, count: Int64)] {
    try Self.sealedTables.flatMap { table, statement in
      try session.rows(statement).map { (table, try $0.text("kek_id"), try $0.integer("n")) }
    }
  }

  private static let sealedTables: [(String, Statement)] = [
    ("purpose_key", "SELECT kek_id, count(*) AS n FROM purpose_key GROUP BY kek_id ORDER BY kek_id"),
    ("signing_key", "SELECT kek_id, count(*) AS n FROM signing_key GROUP BY kek_id ORDER BY kek_id"),
    (
      "connection", "SELECT kek_id, count(*) AS n FROM connection WHERE box IS NOT NULL GROUP BY kek_id ORDER BY kek_id"
    ),
    ("credential", "SELECT kek_id, count(*) AS n FROM credential GROUP BY kek_id ORDER BY kek_id"),
    ("server_token", "SELECT kek_id, count(*) AS n FROM server_token GROUP BY kek_id ORDER BY kek_id"),
    ("sign_in_attempt", "SELECT kek_id, count(*) AS n FROM sign_in_attempt GROUP BY kek_id ORDER BY kek_id"),
    ("authenticator", "SELECT kek_id, count(*) AS n FROM authenticator GROUP BY kek_id ORDER BY kek_id"),
    ("webhook", "SELECT kek_id, count(*) AS n FROM webhook GROUP BY kek_id ORDER BY kek_id"),
    (
      "refresh_attempt",
      "SELECT kek_id, count(*) AS n FROM refresh_attempt WHERE kek_id IS NOT NULL GROUP BY kek_id ORDER BY kek_id"
    ),
    ("revocation", "SELECT kek_id, count(*) AS n FROM revocation GROUP BY kek_id ORDER BY kek_id"),
  ]

  /// Every purpose key, oldest first; the last one of a purpose is the current one.
  public func purposeKeys() throws -> [PurposeKey] {
    try session.rows("SELECT id, purpose, kek_id, wrapped_key, box FROM purpose_key ORDER BY created_at, id").map {
      PurposeKey(id: try $0.text("id"), purpose: try $0.text("purpose"), sealed: try $0.sealed())
    }
  }

  public func insert(_ key: PurposeKey, at now: Timestamp) throws {
    try session.run(
      """
      INSERT INTO purpose_key (id, purpose, kek_id, wrapped_key, box, created_at)
      VALUES (\(key.id), \(key.purpose), \(key.sealed.kekID), \(key.sealed.wrappedKey), \(key.sealed.box), \(now))
      """)
  }

  /// Every signing key, in the order in which they sign.
  public func signingKeys() throws -> [StoredSigningKey] {
    try session.rows(
      """
      SELECT id, algorithm, public_key, kek_id, wrapped_key, box, created_at, signs_from FROM signing_key
      ORDER BY signs_from, created_at, id
      """
    ).map {
      StoredSigningKey(
        id: try $0.text("id"), algorithm: try $0.text("algorithm"), publicKey: try $0.bytes("public_key"),
        sealed: try $0.sealed(), createdAt: try $0.time("created_at"), signsFrom: try $0.time("signs_from"))
    }
  }

  public func insert(_ key: StoredSigningKey) throws {
    try session.run(
      """
      INSERT INTO signing_key (id, algorithm, public_key, kek_id, wrapped_key, box, created_at, signs_from)
      VALUES (\(key.id), \(key.algorithm), \(key.publicKey), \(key.sealed.kekID), \(key.sealed.wrappedKey),
        \(key.sealed.box), \(key.createdAt), \(key.signsFrom))
      """)
  }

  /// Forgets a signing key: nothing that it signed is believed any more.
  public func deleteSigningKey(_ id: String) throws {
    try session.run("DELETE FROM signing_key WHERE id = \(id)")
  }
}
