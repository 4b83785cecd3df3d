import Domain
import Testing

@Suite("Codes that people type")
struct UserCodeTests {
  @Test("are eight consonants, whatever the random bytes are, and each letter is as likely as another")
  func letters() {
    var byte: UInt8 = 0
    var counts: [Character: Int] = [:]
    for _ in 0..<30 {
      let code = UserCode {
        defer { byte &+= 1 }; return byte
      }
      #expect(code.letters.count == 8)
      for letter in code.letters { counts[letter, default: 0] += 1 }
    }
    // 240 letters of 256 byte values in turn: the sixteen that do not divide evenly are dropped.
    #expect(counts.count == 20 && counts.values.allSatisfy { $0 == 12 }, "\(counts)")
  }

  @Test(
    "are read whatever the case, with blanks and hyphens anywhere",
    arguments: ["WDJB-MJHT", "wdjbmjht", " wdjb mjht ", "W-D-J-B-M-J-H-T", "wdjb\u{2D}MJHT"])
  func typed(text: String) { #expect(UserCode(typed: text)?.shown == "WDJB-MJHT") }

  @Test(
    "are nothing else",
    arguments: ["", "WDJB-MJH", "WDJB-MJHTT", "WDJA-MJHT", "WDJ1-MJHT", "WDJB_MJHT", "\u{0412}DJB-MJHT", "WDJB\nMJHT"])
  func refused(text: String) { #expect(UserCode(typed: text) == nil) }
}

@Suite("What a device is told when it asks")
struct DeviceAnswerTests {
  private var device: DeviceAuthorization {
    DeviceAuthorization(
      hash: Samples.hash(1), client: Samples.client, scope: .none, address: "203.0.113.7", createdAt: Samples.now,
      expiresAt: Samples.now + DeviceAuthorization.lifetime)
  }

  private func told(_ device: DeviceAuthorization, after seconds: Int64) -> (code: Refusal.Code?, interval: Int64?) {
    switch device.answer(to: Samples.client, at: Samples.now + seconds) {
    case .allowed: (nil, nil)
    case .ask(let refusal, let interval): (refusal.code, interval)
    case .refused(let refusal): (refusal.code, nil)
    }
  }

  @Test("that nobody has decided, and to slow down for good each time that it asks too early")
  func waiting() {
    var device = device
    #expect(told(device, after: 1) == (.authorizationPending, 5))
    device.askedAt = Samples.now + 1
    #expect(told(device, after: 5) == (.slowDown, 10))
    device.interval = 10
    device.askedAt = Samples.now + 5
    #expect(told(device, after: 14) == (.slowDown, 15))
    #expect(told(device, after: 15) == (.authorizationPending, 10))
  }

  @Test("the decision, until the code expires, and nothing of another client's code")
  func decided() {
    var device = device
    device.state = .denied
    #expect(told(device, after: 599).code == .accessDenied)
    #expect(told(device, after: 600).code == .expiredToken)
    device.state = .allowed
    let decider = DeviceAuthorization.Decider(
      account: Samples.account, session: Samples.hash(2), authenticatedAt: Samples.now)
    device.decider = decider
    #expect(device.answer(to: Samples.client, at: Samples.now + 599) == .allowed(decider))
    #expect(told(device, after: 600).code == .expiredToken)
    guard case .refused(let refusal) = device.answer(to: ClientID(random: "other"), at: Samples.now) else {
      return #expect(Bool(false))
    }
    #expect(refusal.code == .invalidGrant)
  }
}
