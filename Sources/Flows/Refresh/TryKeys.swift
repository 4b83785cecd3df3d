import Domain
import Logging
import Storage
import Upstream

/// Goes over to the next API key where the portal refuses the one in use, be it that somebody has ended it there.
struct TryKeys: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  func callAsFunction() async throws {
    for credential in try await here.store.read({ try $0.credentials(of: Account.service) })
    where credential.state == .active && credential.canRefresh {
      guard let held = try await here.heldKeys(of: credential.connection), held.tokens.nextKey != nil else { continue }
      do throws(UpstreamFailure) { try await here.upstreams.keys.check(held.tokens.key, held.connection) } catch {
        guard case .refused = error else { continue }
        here.log.warning(
          "an API key is refused: the next one takes its place",
          ["connection": .string(credential.connection.text), "why": .string(error.text)])
        _ = await here.refreshes.refresh(
          held.credential.id, insteadOf: held.credential.generation, at: here.clock.now())
      }
    }
  }
}
