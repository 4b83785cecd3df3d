import Domain
import Testing

@testable import Flows

@Suite("What strangers can make us keep")
struct BoundTests {
  private let now = Timestamp(seconds: 1_800_000_000)

  @Test("sign-ins that one network begins are bounded for a while, and other networks go on")
  func perNetwork() {
    let quota = Quota.ofBeginnings()
    for _ in 0..<quota.each { #expect(quota.take("192.0.2.1", at: now) == nil) }
    #expect(quota.take("192.0.2.1", at: now + 10) == quota.window - 10)
    #expect(quota.take("192.0.2.2", at: now) == nil)
    #expect(quota.take("192.0.2.1", at: now + quota.window) == nil)
  }

  @Test("sign-ins that all networks begin together are bounded")
  func inAll() {
    let quota = Quota.ofBeginnings()
    for number in 0..<quota.inAll { _ = quota.take("network \(number)", at: now) }
    #expect(quota.take("another network", at: now) == quota.window)
    #expect(quota.take("another network", at: now + quota.window) == nil)
  }

  @Test("guessing at ever new names keeps no more than a bounded number of them")
  func namesGuessed() {
    let throttle = SignInThrottle()
    for number in 0..<25_000 { _ = throttle.begin("name \(number)", from: "192.0.2.1", at: now) }
    #expect(throttle.count <= 10_000)
  }
}
