import Domain
import Logging
import Storage

/// What an installation does on its own: refreshes asked for by callers, the outbox, the audit chain, the sweep.
public struct BackgroundWork: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Runs until the task is cancelled; refreshes under way are finished first.
  public func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await RefreshCredentials(here).run() }
      group.addTask { await every(.milliseconds(500)) { try await here.followOthers() } }
      group.addTask { await every(.seconds(5)) { try await RecoverRefreshes(here)() } }
      group.addTask { await every(.seconds(15)) { try await KeepFresh(here)() } }
      group.addTask { await every(.seconds(5)) { try await DeliverRevocations(here)() } }
      group.addTask { await every(.seconds(30)) { try await RotateSigningKeys(here)() } }
      group.addTask { await every(.seconds(5)) { try await NotifyClients(here)() } }
      group.addTask { await every(.seconds(1)) { try await LinkAudit(here)() } }
      group.addTask { await every(.seconds(ExpiryWarning.hour)) { try await WarnOfExpiry(here)() } }
      group.addTask { await every(.seconds(300)) { try await TryKeys(here)() } }
      group.addTask { await every(.seconds(300)) { try await LookAtTrustedServers(here)() } }
      group.addTask { await every(.seconds(3600)) { try await LinkAudit(here).tellEnd() } }
      group.addTask { await every(.seconds(15)) { try await EndKeptCredentials(here)() } }
      group.addTask { await every(.seconds(15)) { try await TellOfEndings(here)() } }
      group.addTask { await every(.seconds(2)) { try await DeliverMail(here)() } }
      group.addTask { await every(.seconds(2)) { try await DeliverWebhooks(here)() } }
      group.addTask { await every(.seconds(1)) { try await AskForPasswordLink(here).carryOut() } }
      group.addTask { await every(.seconds(60)) { try await SweepExpired(here)() } }
      group.addTask { await every(Self.countingPause) { try await here.countedUses.write(here) } }
      group.addTask { await every(Self.countingPause) { try await here.vendTallies.write(here) } }
      group.addTask { await every(.seconds(10)) { here.openedTokens.sweep(at: here.clock.now()) } }
      group.addTask { await every(.seconds(60)) { try await SummariseFailures(here)() } }
      group.addTask { await every(.seconds(10)) { here.store.raiseClock(to: here.clock.now()) } }
      group.addTask { await every(.seconds(60)) { tellOfLag() } }
    }
    here.store.raiseClock(to: here.clock.now())
    await finish()
  }

  /// With the time that the writing takes, a crash loses a second of counts at most.
  private static let countingPause = Duration.milliseconds(750)

  private func finish() async {
    for write in [here.countedUses.write, here.vendTallies.write] {
      do { try await write(here) } catch {
        here.log.error("the last uses were not counted", ["error": .string(String(describing: error))])
      }
    }
  }

  private func tellOfLag() {
    guard here.clock.lag >= 5 else { return }
    here.log.warning(
      "the machine's clock was set back; time goes slower here until it has caught up",
      ["seconds": .int(Int(here.clock.lag))])
  }

  /// Repeats `work` with a pause between; a failure is logged, once until it is another one, and the next turn tries
  /// again.
  private func every(_ pause: Duration, _ work: @Sendable () async throws -> Void) async {
    var failure: String?
    while !Task.isCancelled {
      do {
        try await work()
        failure = nil
      } catch is CancellationError {
        break
      } catch {
        let text = String(describing: error)
        if text != failure { here.log.error("background work failed", ["error": .string(text)]) }
        failure = text
      }
      do { try await Task.sleep(for: pause) } catch { break }
    }
  }
}

extension Installation {
  /// Forgets what others have changed; a signing key that they took back is believed no longer.
  func followOthers() async throws {
    if try await store.noticeForeignWrites() { try await signing.reload() }
  }
}
