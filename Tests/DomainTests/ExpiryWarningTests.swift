import Testing

@testable import Domain

@Suite("Expiry warnings")
struct ExpiryWarningTests {
  @Test("are due once each, a month, a week and a day before the end", arguments: [30, 7, 1] as [Int64])
  func due(days: Int64) {
    let seconds = days * 86_400
    #expect(ExpiryWarning.due(left: seconds) == days && ExpiryWarning.due(left: seconds - 3599) == days)
    #expect(ExpiryWarning.due(left: seconds + 1) == nil && ExpiryWarning.due(left: seconds - 3600) == nil)
  }
}
