import Crypto
public import Domain

/// A sign-in whose password was right and whose second factor is missing; a cookie of ours carries it.
///
/// It says nothing that the browser may not know, and is worth nothing without the second factor.
public struct PendingSignIn: Sendable, Equatable {
  /// Seconds in which the second factor has to follow.
  static let lifetime: Int64 = 10 * 60

  public let account: AccountID
  public let kind: BrowserSession.Kind
  /// When the password that was right was set: it must not have been changed since.
  let passwordChangedAt: Timestamp
  let expiresAt: Timestamp

  init(_ account: AccountID, _ kind: BrowserSession.Kind, _ password: StoredPassword, at now: Timestamp) {
    self.account = account
    self.kind = kind
    passwordChangedAt = password.changedAt
    expiresAt = now + Self.lifetime
  }

  init?(text: String) {
    let parts = text.split(separator: "|").map(String.init)
    guard parts.count == 4, let account = AccountID(parts[0]), let kind = BrowserSession.Kind(rawValue: parts[1]),
      let changedAt = Int64(parts[2]), let expiresAt = Int64(parts[3])
    else { return nil }
    self.account = account
    self.kind = kind
    passwordChangedAt = Timestamp(seconds: changedAt)
    self.expiresAt = Timestamp(seconds: expiresAt)
  }

  var text: String { "\(account)|\(kind.rawValue)|\(passwordChangedAt.seconds)|\(expiresAt.seconds)" }
}

extension Installation {
  /// The value of the cookie; it counts in one browser alone.
  func token(for pending: PendingSignIn, browser: TokenHash) -> Secret {
    Secret(signed(pending.text, for: Self.purpose(browser)))
  }

  /// The sign-in that waits in this browser; `nil` when none does, or no longer.
  public func pendingSignIn(_ token: String?, browser: TokenHash) -> PendingSignIn? {
    guard let token, let text = signedText(token, for: Self.purpose(browser)),
      let pending = PendingSignIn(text: text), pending.expiresAt > clock.now()
    else { return nil }
    return pending
  }

  private static func purpose(_ browser: TokenHash) -> String { "second factor \(Hex.encode(browser.bytes))" }
}
