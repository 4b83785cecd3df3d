import Domain
import Storage

/// Refreshes tokens in use before anybody has to wait for new ones, and sign-ins before they lapse.
public struct KeepFresh: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Credentials that one round takes; what is left over is due in the next one, too.
  private static let mostInRound: Int64 = 500

  /// Goes through what is due, once, each at a moment of its own within `spread`, so that people who came together do
  /// not stay together.
  public func callAsFunction(spread: Duration = .seconds(15)) async throws {
    let now = here.clock.now()
    let due = try await here.store.read { try $0.dueRefreshes(at: now, limit: Self.mostInRound) }
    await withDiscardingTaskGroup { group in
      for one in due {
        group.addTask {
          do { try await Task.sleep(for: spread * Double.random(in: 0..<1)) } catch { return }
          _ = await here.refreshes.refresh(one.id, insteadOf: one.generation, at: here.clock.now())
        }
      }
    }
  }
}
