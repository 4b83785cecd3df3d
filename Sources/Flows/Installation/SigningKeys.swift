import Crypto
import Domain
import JOSE
import Storage
import Synchronization

/// The keys that sign our tokens, one at a time for each algorithm, and their public halves for everybody.
///
/// Keys follow each other (``RotateSigningKeys``), also by the hand of another instance on the same database, so what is
/// known here is read again when others have written, and every half minute. The first key for ES256 is made at the first start; those of the other
/// algorithms right after it or at the first need, since an RSA key takes up to a second.
final class SigningKeys: Sendable {
  private struct State {
    var keys: [SigningKeyInUse]
    var turn: SigningTurn
    /// The ``Store/changeVersion`` that the keys were read after.
    var version: Int
  }

  private let store: Store
  private let vault: Vault
  private let clock: Clock
  private let state: Mutex<State>
  private let firsts = Mutex<[SignatureAlgorithm: Task<Void, any Error>]>([:])

  private init(_ store: Store, _ vault: Vault, _ clock: Clock, _ state: consuming State) {
    self.store = store
    self.vault = vault
    self.clock = clock
    self.state = Mutex(state)
  }

  /// Reads the keys, making the one that signs access tokens.
  ///
  /// - Throws: ``KeyFailure`` when one does not open.
  static func load(from store: Store, _ vault: Vault, _ clock: Clock) async throws -> SigningKeys {
    let now = clock.now()
    let version = store.changeVersion
    var stored = try await store.read { try $0.signingKeys() }
    if !stored.contains(where: { $0.algorithm == SignatureAlgorithm.es256.rawValue && $0.signsFrom <= now }) {
      let first = try NewSigningKey(.generate(.es256), vault).stored(at: now, signsFrom: now)
      stored = try await store.write { try $0.insertFirst(first) }
    }
    let keys = try inUse(stored, [], vault)
    guard let turn = SigningTurn(keys, revision: 0, at: now) else { throw KeyFailure.notAuthentic }
    return SigningKeys(store, vault, clock, State(keys: keys, turn: turn, version: version))
  }

  /// Opens what was not opened before; keys of an algorithm that a newer program knows are left out.
  private static func inUse(
    _ stored: [StoredSigningKey], _ known: [SigningKeyInUse], _ vault: Vault
  ) throws -> [SigningKeyInUse] {
    try SignatureAlgorithm.allCases.flatMap { algorithm in
      let rows = stored.filter { $0.algorithm == algorithm.rawValue }
      return try zip(rows, SigningKeyTerm.terms(signingFrom: rows.map(\.signsFrom))).map { row, term in
        if let same = known.first(where: { $0.id == row.id }) { return same.with(term) }
        let pkcs8 = try vault.open(row.sealed, in: place(row.id))
        return SigningKeyInUse(id: row.id, key: try SigningKey(pkcs8: pkcs8.revealed, algorithm: algorithm), term: term)
      }
    }
  }

  static func place(_ id: String) -> SealContext {
    SealContext(table: "signing_key", column: "private_key", row: id)
  }
}

// MARK: - Use

extension SigningKeys {
  /// What the keys are now.
  func turn(at now: Timestamp) -> SigningTurn {
    state.withLock { state in
      if let end = state.turn.endsAt, end <= now,
        let next = SigningTurn(state.keys, revision: state.turn.revision + 1, at: now)
      {
        state.turn = next
      }
      return state.turn
    }
  }

  /// The keys that others should know.
  var published: JWKSet { turn(at: clock.now()).published }

  /// Signs claims, JSON already, into a token of the type `type`; makes the algorithm's first key if there is none.
  func sign(_ claims: [UInt8], type: String, algorithm: SignatureAlgorithm) async throws -> Secret {
    if let key = turn(at: clock.now()).current[algorithm] { return Secret(try key.signer(type).sign(claims)) }
    try await makeFirst(algorithm)
    guard let key = turn(at: clock.now()).current[algorithm] else { throw KeyFailure.notAuthentic }
    return Secret(try key.signer(type).sign(claims))
  }

  /// What a token of ours says, whether it still counts or not.
  ///
  /// `type` is the `typ` that it must have, so that no token passes for one of another kind. A reminder only has to say
  /// who somebody was, as an `id_token_hint` does: keys that are no longer published are believed for another 30 days then.
  ///
  /// - Throws: `JWSFailure`.
  func verify(
    _ token: String, type: String, allowing algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
    isReminder: Bool = false
  ) throws(JWSFailure) -> [UInt8] {
    let (jws, turn) = (try JWS(parsing: token), turn(at: clock.now()))
    guard jws.hasType(type.lowercased()) else { throw .malformed }
    return try jws.payload(verifiedBy: isReminder ? turn.remembered : turn.published, allowing: algorithms)
  }
}

// MARK: - Change

extension SigningKeys {
  /// Reads the keys again, as this or another instance left them.
  func reload() async throws {
    let version = store.changeVersion
    let stored = try await store.read { try $0.signingKeys() }
    try state.withLock { state in
      // Whoever read earlier must not undo what was read later.
      guard version >= state.version else { return }
      let keys = try Self.inUse(stored, state.keys, vault)
      state.version = version
      guard keys.map(\.id) != state.keys.map(\.id) || keys.map(\.term) != state.keys.map(\.term),
        let turn = SigningTurn(keys, revision: state.turn.revision + 1, at: clock.now())
      else { return }
      (state.keys, state.turn) = (keys, turn)
    }
  }

  /// Makes the first key of an algorithm, once however many ask for it.
  func makeFirst(_ algorithm: SignatureAlgorithm) async throws {
    let task = firsts.withLock { firsts in
      if let task = firsts[algorithm] { return task }
      let task = Task<Void, any Error> { try await insertFirst(algorithm) }
      firsts[algorithm] = task
      return task
    }
    defer { firsts.withLock { $0[algorithm] = nil } }
    try await task.value
  }

  private func insertFirst(_ algorithm: SignatureAlgorithm) async throws {
    if turn(at: clock.now()).current[algorithm] != nil { return }
    let made = try await NewSigningKey(.generateInBackground(algorithm), vault)
    let now = clock.now()
    let first = made.stored(at: now, signsFrom: now)
    try await store.write { _ = try $0.insertFirst(first) }
    try await reload()
  }

  /// Makes no more keys; who waits for one gets none.
  func close() {
    for task in firsts.withLock({ Array($0.values) }) { task.cancel() }
  }

  /// Makes a key that is not stored yet, on a thread of its own.
  func generate(_ algorithm: SignatureAlgorithm) async throws -> NewSigningKey {
    try await NewSigningKey(.generateInBackground(algorithm), vault)
  }
}

extension Transaction {
  /// Stores the first key of an algorithm unless another instance was faster.
  ///
  /// - Returns: All keys.
  fileprivate func insertFirst(_ key: StoredSigningKey) throws -> [StoredSigningKey] {
    let isFirst = try !signingKeys().contains { $0.algorithm == key.algorithm && $0.signsFrom <= key.signsFrom }
    if isFirst { try insert(key) }
    return try signingKeys()
  }
}

/// A key that was just made, sealed.
struct NewSigningKey: Sendable {
  let id = Hex.encode(Random.bytes(8))
  private let algorithm: SignatureAlgorithm
  private let publicKey: [UInt8]
  private let sealed: Sealed

  init(_ key: SigningKey, _ vault: Vault) throws {
    algorithm = key.algorithm
    publicKey = try key.publicKey.publicKeyInfo()
    sealed = try vault.seal(Secret(try key.pkcs8()), in: SigningKeys.place(id))
  }

  func stored(at now: Timestamp, signsFrom: Timestamp) -> StoredSigningKey {
    StoredSigningKey(
      id: id, algorithm: algorithm.rawValue, publicKey: publicKey, sealed: sealed, createdAt: now, signsFrom: signsFrom)
  }
}
