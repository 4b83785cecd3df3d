import Domain
import Logging
import Storage

/// Says in the log, each hour, which of the service's own credentials end in 30, in 7 and in one day; people see theirs
/// on their account page.
struct WarnOfExpiry: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  func callAsFunction() async throws {
    let now = here.clock.now()
    for credential in try await here.store.read({ try $0.credentials(of: Account.service) }) {
      guard let left = credential.endsAt.map({ $0 - now }), let days = ExpiryWarning.due(left: left) else { continue }
      here.log.warning(
        "a credential of the service's own ends soon: replace it",
        ["connection": .string(credential.connection.text), "days": .int(Int(days))])
    }
  }
}
