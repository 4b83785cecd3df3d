import Domain
import Synchronization

/// Who has a form being tried just now: one for each person, so that what is slow to try is slow for them alone.
final class FormTurns: Sendable {
  private let trying = Mutex<Set<AccountID>>([])

  /// Whether it is this account's turn; whoever got it ends it.
  func begin(_ account: AccountID) -> Bool { trying.withLock { $0.insert(account).inserted } }

  func end(_ account: AccountID) { trying.withLock { _ = $0.remove(account) } }
}
