public import Crypto
public import Domain
import Storage

/// Lets our signing keys follow each other, without a moment in which a token of ours cannot be verified.
///
/// What is to be done is decided in the transaction that does it, so that several instances on one database make one key.
public struct RotateSigningKeys: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// How a change that somebody asked for ends.
  public struct Change: Sendable {
    public let algorithm: SignatureAlgorithm
    public let keyID: String
    public let signsFrom: Timestamp
    /// The keys that are believed no more.
    public let withdrawn: [String]
    /// Whether the next key was published before.
    public let wasUnderWay: Bool
  }

  /// Makes the keys that are missing, publishes those that are due, forgets those that are over, and reads what other
  /// instances did.
  public func callAsFunction() async throws {
    let now = here.clock.now()
    // The RSA keys, which take long, come last.
    for algorithm in [SignatureAlgorithm.edDSA, .es256, .rs256, .ps256]
    where here.signing.turn(at: now).current[algorithm] == nil {
      try Task.checkCancellation()
      try await here.signing.makeFirst(algorithm)
    }
    let keys = SigningKeyRows(try await here.store.read { try $0.signingKeys() })
    for algorithm in SignatureAlgorithm.allCases where keys.needNext(algorithm, at: now) {
      try await publish(algorithm, .system, at: now) { $0.needNext(algorithm, at: now) }
    }
    if !keys.forgettable(at: now).isEmpty {
      try await here.store.write { tx in
        for id in SigningKeyRows(try tx.signingKeys()).forgettable(at: now) { try tx.deleteSigningKey(id) }
      }
    }
    try await here.signing.reload()
  }

  /// Publishes the next key now; it signs in a day.
  public func publishNext(_ algorithm: SignatureAlgorithm, by origin: AuditEvent.Origin) async throws -> Change {
    let now = here.clock.now()
    if here.signing.turn(at: now).current[algorithm] == nil { try await here.signing.makeFirst(algorithm) }
    try await publish(algorithm, origin, at: now) { $0.next(algorithm, at: now) == nil }
    let keys = SigningKeyRows(try await here.store.read { try $0.signingKeys() })
    try await here.signing.reload()
    guard let next = keys.next(algorithm, at: now) else { throw KeyFailure.notAuthentic }
    return Change(
      algorithm: algorithm, keyID: next.id, signsFrom: next.signsFrom, withdrawn: [],
      wasUnderWay: next.createdAt < now)
  }

  /// Takes every key of an algorithm back at once: what it signed is believed no more, and a new key signs from now on.
  public func replaceNow(_ algorithm: SignatureAlgorithm, by origin: AuditEvent.Origin) async throws -> Change {
    let now = here.clock.now()
    let key = try await here.signing.generate(algorithm).stored(at: now, signsFrom: now)
    let withdrawn = try await here.store.write { tx in
      let former = SigningKeyRows(try tx.signingKeys()).of(algorithm).map(\.id)
      for id in former {
        try tx.deleteSigningKey(id)
        try tx.insert(
          AuditEvent(.signingKeyWithdrawn, at: now, origin: origin, detail: "\(algorithm.rawValue) \(id)"))
      }
      try tx.insert(key)
      try tx.insert(
        AuditEvent(.signingKeyPublished, at: now, origin: origin, detail: "\(algorithm.rawValue) \(key.id)"))
      return former
    }
    try await here.signing.reload()
    return Change(algorithm: algorithm, keyID: key.id, signsFrom: now, withdrawn: withdrawn, wasUnderWay: false)
  }

  private func publish(
    _ algorithm: SignatureAlgorithm, _ origin: AuditEvent.Origin, at now: Timestamp,
    if isWanted: @escaping @Sendable (SigningKeyRows) -> Bool
  ) async throws {
    let key = try await here.signing.generate(algorithm).stored(at: now, signsFrom: now + SigningKeyTerm.announcement)
    try await here.store.write { tx in
      guard isWanted(SigningKeyRows(try tx.signingKeys())) else { return }
      try tx.insert(key)
      try tx.insert(
        AuditEvent(.signingKeyPublished, at: now, origin: origin, detail: "\(algorithm.rawValue) \(key.id)"))
    }
  }
}

/// What the store holds of our signing keys, in the order in which they sign.
private struct SigningKeyRows: Sendable {
  private let rows: [StoredSigningKey]

  init(_ rows: [StoredSigningKey]) { self.rows = rows }

  func of(_ algorithm: SignatureAlgorithm) -> [StoredSigningKey] { rows.filter { $0.algorithm == algorithm.rawValue } }

  private func terms(_ algorithm: SignatureAlgorithm) -> [(StoredSigningKey, SigningKeyTerm)] {
    let rows = of(algorithm)
    return Array(zip(rows, SigningKeyTerm.terms(signingFrom: rows.map(\.signsFrom))))
  }

  func needNext(_ algorithm: SignatureAlgorithm, at now: Timestamp) -> Bool {
    terms(algorithm).contains { $0.1.needsNext(at: now) }
  }

  /// The key that is published and does not sign yet.
  func next(_ algorithm: SignatureAlgorithm, at now: Timestamp) -> StoredSigningKey? {
    of(algorithm).first { $0.signsFrom > now }
  }

  func forgettable(at now: Timestamp) -> [String] {
    SignatureAlgorithm.allCases.flatMap { terms($0).filter { !$0.1.isRemembered(at: now) }.map(\.0.id) }
  }
}
