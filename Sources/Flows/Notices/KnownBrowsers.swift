import Domain
import Storage

extension Installation {
  /// Writes that note in which browser and language somebody signs in, and tell them when it is a new one; and what its cookie holds.
  ///
  /// The first one of an account is no news.
  func notingBrowser(
    of account: AccountID, _ visitor: Visitor, at now: Timestamp
  ) -> (cookie: Secret, @Sendable (Transaction) throws -> Void) {
    let cookie = visitor.browserMark ?? NewToken().secret
    let hash = TokenHash(of: "\(account) \(cookie.revealedText)")
    let news = telling(.newBrowser, account, visitor.facts, at: now)
    return (
      cookie,
      { tx in
        if let language = visitor.language { try tx.setLanguage(language, of: account) }
        let hasOthers = try tx.hasKnownBrowser(account)
        if try tx.noteBrowser(hash, of: account, at: now), hasOthers { try news(tx) }
      }
    )
  }
}
