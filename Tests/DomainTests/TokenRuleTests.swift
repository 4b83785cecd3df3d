import Domain
import Testing

@Suite("Authorization codes")
struct AuthorizationCodeTests {
  private func refusal(
    client: ClientID = Samples.client, uri: String? = "https://app.example/back", challenge: String = "challenge"
  ) -> Refusal? {
    Samples.code().refusal(
      of: .init(client: client, code: Samples.hash(1), redirectURI: uri, challenge: challenge))
  }

  @Test("are redeemed by who asked, with the same redirect URI and verifier")
  func accepts() {
    #expect(refusal() == nil)
    #expect(refusal(uri: nil) == nil)
  }

  @Test(
    "are refused when anything differs",
    arguments: [
      (Samples.other, "https://app.example/back", "challenge"),
      (Samples.client, "https://app.example/back/", "challenge"),
      (Samples.client, "", "challenge"), (Samples.client, "https://app.example/bac\u{212A}", "challenge"),
      (Samples.client, "https://app.example/back", "Challenge"), (Samples.client, "https://app.example/back", ""),
    ])
  func refuses(client: ClientID, uri: String, challenge: String) {
    #expect(refusal(client: client, uri: uri, challenge: challenge)?.code == .invalidGrant)
  }

  @Test("compare redirect URIs by bytes, not by what Swift takes for equal")
  func bytes() {
    let code = Samples.code(redirectURI: "https://app.example/K")
    let presented = AuthorizationCode.Redemption(
      client: Samples.client, code: Samples.hash(1), redirectURI: "https://app.example/\u{212A}", challenge: "challenge"
    )
    #expect(code.refusal(of: presented)?.code == .invalidGrant)
  }

  @Test(
    "a challenge is base64url of 32 bytes",
    arguments: [
      ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", true), ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=", false),
      ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c", false), ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM", false),
      ("", false), ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-\u{E9}", false),
    ])
  func challenge(text: String, isOne: Bool) { #expect(AuthorizationRequest.isChallenge(text) == isOne) }
}

@Suite("Our refresh tokens")
struct RefreshChainTests {
  private let now = Samples.now

  /// A chain whose second token has hash 2; the first was exchanged for it so long ago.
  private func chain(
    rotated secondsAgo: Int64? = nil, successor: [UInt8]? = [1], replays: Int64 = 0, expiresIn: Int64 = 100
  ) -> RefreshChain {
    RefreshChain(
      id: Samples.hash(9), family: Samples.family, current: Samples.hash(2), expiresAt: now + expiresIn,
      former: secondsAgo.map {
        .init(hash: Samples.hash(1), rotatedAt: now - $0, successor: successor, replays: replays)
      })
  }

  private func outcome(
    _ byte: UInt8, _ chain: RefreshChain, _ family: TokenFamily = Samples.family(), by client: ClientID = Samples.client
  ) -> RefreshChain.Outcome {
    chain.outcome(of: Samples.hash(byte), in: family, for: client, at: now)
  }

  private func refusal(_ outcome: RefreshChain.Outcome) -> Refusal.Code? {
    if case .refuse(let refusal) = outcome { refusal.code } else { nil }
  }

  @Test("are exchanged while they and their family live", arguments: [100, 1] as [Int64])
  func rotates(expiresIn: Int64) {
    #expect(outcome(2, chain(expiresIn: expiresIn)) == .rotate)
    #expect(outcome(2, chain(rotated: 0, expiresIn: expiresIn)) == .rotate)
  }

  @Test(
    "are refused at their end, and at their family's, used or not",
    arguments: [(2, 0, 1000), (2, -1, 1000), (2, 100, 0), (2, 100, -1), (1, 100, 0), (3, 100, 0)]
      as [(UInt8, Int64, Int64)])
  func expires(token: UInt8, expiresIn: Int64, familyExpiresIn: Int64) {
    let family = Samples.family(expiresAt: now + familyExpiresIn)
    #expect(refusal(outcome(token, chain(rotated: 5, expiresIn: expiresIn), family)) == .invalidGrant)
  }

  @Test(
    "of a revoked family, or from another client, are refused without ending anything", arguments: [1, 2, 3] as [UInt8])
  func refuses(token: UInt8) {
    #expect(refusal(outcome(token, chain(rotated: 500), Samples.family(isRevoked: true))) == .invalidGrant)
    #expect(refusal(outcome(token, chain(rotated: 500), by: Samples.other)) == .invalidGrant)
  }

  @Test("give the same successor again within the window", arguments: [0, 4, 5, 29] as [Int64])
  func replays(secondsAgo: Int64) throws {
    let chain = chain(rotated: secondsAgo, replays: 2)
    let former = try #require(chain.former)
    #expect(outcome(1, chain) == .replay(former, successor: [1]))
    #expect(former.countsReplay(at: now) == (secondsAgo >= 5))
  }

  @Test(
    "used outside the window, or too often, are reuse",
    arguments: [(30, [1], 0), (3000, [1], 0), (10, [1], 3), (0, [1], 3), (10, nil, 0), (0, nil, 0)]
      as [(Int64, [UInt8]?, Int64)])
  func reuse(secondsAgo: Int64, successor: [UInt8]?, replays: Int64) {
    #expect(outcome(1, chain(rotated: secondsAgo, successor: successor, replays: replays)) == .reuse)
  }

  @Test("older than the one before are reuse; where none was exchanged, a strange one ends nothing")
  func older() {
    #expect(outcome(3, chain(rotated: 0)) == .reuse)
    #expect(refusal(outcome(3, chain())) == .invalidGrant)
  }
}
