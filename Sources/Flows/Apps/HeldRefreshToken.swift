import Crypto
import Domain

/// A refresh token of ours as an app holds it: 22 characters that all tokens of one chain begin with, 128 random bits by
/// which the store finds it, then 43 of its own.
///
/// Nobody but whoever held a token of the chain knows the first part, so that a wrong second one tells of a copy.
struct HeldRefreshToken: Sendable {
  private static let chainLength = 22
  private static let length = 65

  let secret: Secret
  /// Of the first part.
  let chain: TokenHash
  /// Of the second part.
  let hash: TokenHash
  private let beginning: Secret

  /// Takes what was presented; `nil` when it cannot be one.
  init?(_ text: String) {
    guard text.utf8.count == Self.length, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let beginning = String(text.prefix(Self.chainLength))
    self.init(beginning, TokenHash(of: beginning), String(text.dropFirst(Self.chainLength)))
  }

  /// The first token of a new chain.
  static func first() -> HeldRefreshToken {
    let beginning = Base64URL.encode(Random.bytes(16))
    return HeldRefreshToken(beginning, TokenHash(of: beginning), Random.token())
  }

  /// A new token of the same chain.
  func next() -> HeldRefreshToken { HeldRefreshToken(beginning.revealedText, chain, Random.token()) }

  private init(_ beginning: String, _ chain: TokenHash, _ turn: String) {
    self.beginning = Secret(beginning)
    secret = Secret(beginning + turn)
    self.chain = chain
    hash = TokenHash(of: turn)
  }
}
