import Crypto
import Domain
import JOSE
import JSON
import Synchronization

/// One of our signing keys, opened.
struct SigningKeyInUse: Sendable {
  let id: String
  let key: SigningKey
  let term: SigningKeyTerm
  private let signers: Signers

  init(id: String, key: SigningKey, term: SigningKeyTerm) {
    self.init(id: id, key: key, term: term, signers: Signers())
  }

  private init(id: String, key: SigningKey, term: SigningKeyTerm, signers: Signers) {
    self.id = id
    self.key = key
    self.term = term
    self.signers = signers
  }

  func with(_ term: SigningKeyTerm) -> SigningKeyInUse {
    SigningKeyInUse(id: id, key: key, term: term, signers: signers)
  }

  /// What signs tokens of one type; its header is encoded once.
  func signer(_ type: String) -> JWTSigner {
    signers.byType.withLock { signers in
      if let signer = signers[type] { return signer }
      let signer = JWTSigner(key: key, keyID: id, type: type)
      signers[type] = signer
      return signer
    }
  }

  private final class Signers: Sendable {
    let byType = Mutex<[String: JWTSigner]>([:])
  }
}

/// What our keys are between two changes.
final class SigningTurn: Sendable {
  /// Another number for every change, so that what was verified under one can be forgotten with it.
  let revision: Int
  /// The keys that sign now.
  let current: [SignatureAlgorithm: SigningKeyInUse]
  /// Signs access tokens (RFC 9068: `typ` is `at+jwt`).
  let accessTokens: JWTSigner
  /// What signs now, did so lately, or will soon.
  let published: JWKSet
  /// ``published`` as others read it.
  let document: [UInt8]
  /// Also what is published no more, for tokens that only say who somebody was.
  let remembered: JWKSet
  /// When time alone changes this.
  let endsAt: Timestamp?

  /// `nil` when no key signs access tokens.
  init?(_ keys: [SigningKeyInUse], revision: Int, at now: Timestamp) {
    var current: [SignatureAlgorithm: SigningKeyInUse] = [:]
    for key in keys where key.term.signs(at: now) { current[key.key.algorithm] = key }
    guard let accessTokens = current[.es256]?.signer("at+jwt") else { return nil }
    func set(_ keys: some Sequence<SigningKeyInUse>) -> JWKSet {
      JWKSet(keys.map { JWK($0.key.publicKey, keyID: $0.id) })
    }
    self.revision = revision
    self.current = current
    self.accessTokens = accessTokens
    published = set(keys.lazy.filter { $0.term.isPublished(at: now) })
    document = published.json.encoded()
    remembered = set(keys.lazy.filter { $0.term.isRemembered(at: now) })
    endsAt = keys.compactMap { $0.term.nextChange(after: now) }.min()
  }
}
