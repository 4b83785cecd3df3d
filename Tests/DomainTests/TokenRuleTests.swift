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
struct RefreshTokenTests {
  private let now = Samples.now

  private func token(
    rotated secondsAgo: Int64? = nil, successor: [UInt8]? = [1], replays: Int64 = 0, expiresIn: Int64 = 100
  ) -> RefreshToken {
    RefreshToken(
      hash: Samples.hash(1), family: Samples.family, expiresAt: now + expiresIn, rotatedAt: secondsAgo.map { now - $0 },
      successor: secondsAgo == nil ? nil : successor, replays: replays)
  }

  private func refusal(_ outcome: RefreshToken.Outcome) -> Refusal.Code? {
    if case .refuse(let refusal) = outcome { refusal.code } else { nil }
  }

  @Test("are exchanged while they and their family live")
  func rotates() {
    #expect(token().outcome(of: Samples.family(), for: Samples.client, at: now) == .rotate)
    #expect(token(expiresIn: 1).outcome(of: Samples.family(), for: Samples.client, at: now) == .rotate)
  }

  @Test(
    "are refused at their end, and at their family's, used or not",
    arguments: [(0, 1000, nil), (-1, 1000, nil), (100, 0, nil), (100, -1, nil), (100, 0, 5), (100, 0, 500)]
      as [(Int64, Int64, Int64?)])
  func expires(expiresIn: Int64, familyExpiresIn: Int64, rotated: Int64?) {
    let outcome = token(rotated: rotated, expiresIn: expiresIn).outcome(
      of: Samples.family(expiresAt: now + familyExpiresIn), for: Samples.client, at: now)
    #expect(refusal(outcome) == .invalidGrant)
  }

  @Test(
    "of a revoked family, or from another client, are refused without ending anything",
    arguments: [nil, 5, 500] as [Int64?])
  func refuses(rotated: Int64?) {
    let token = token(rotated: rotated)
    #expect(refusal(token.outcome(of: Samples.family(isRevoked: true), for: Samples.client, at: now)) == .invalidGrant)
    #expect(refusal(token.outcome(of: Samples.family(), for: Samples.other, at: now)) == .invalidGrant)
  }

  @Test("give the same successor again within the window", arguments: [0, 4, 5, 29] as [Int64])
  func replays(secondsAgo: Int64) {
    let token = token(rotated: secondsAgo, replays: 2)
    #expect(token.outcome(of: Samples.family(), for: Samples.client, at: now) == .replay([1]))
    #expect(token.countsReplay(at: now) == (secondsAgo >= 5))
  }

  @Test(
    "used outside the window, too often, or after their successor was used, are reuse",
    arguments: [(30, [1], 0), (3000, [1], 0), (10, [1], 3), (0, [1], 3), (10, nil, 0), (0, nil, 0)]
      as [(Int64, [UInt8]?, Int64)])
  func reuse(secondsAgo: Int64, successor: [UInt8]?, replays: Int64) {
    let token = token(rotated: secondsAgo, successor: successor, replays: replays)
    #expect(token.outcome(of: Samples.family(), for: Samples.client, at: now) == .reuse)
  }
}
