public import Domain
import Storage

/// What a person was told, a page at a time.
public struct NoticePage: Sendable {
  /// How many stand on a page: as many as one form can name.
  public static let size: Int64 = 30

  public let notices: [Notice]
  public let skipped: Int64
  public let hasMore: Bool
}

extension Installation {
  /// What the person has not read, newest first, as far as it stands on their account page; and how much there is in all.
  public func unreadNotices(of account: AccountID) async throws -> (shown: [Notice], total: Int64) {
    try await store.read { tx in
      (try tx.unreadNotices(of: account, limit: 5), try tx.countUnreadNotices(of: account))
    }
  }

  public func notices(of account: AccountID, skipping skipped: Int64) async throws -> NoticePage {
    let skipped = max(0, min(skipped, 100_000))
    let read = try await store.read {
      try $0.notices(of: account, skipping: skipped, limit: NoticePage.size + 1)
    }
    return NoticePage(
      notices: Array(read.prefix(Int(NoticePage.size))), skipped: skipped, hasMore: read.count > NoticePage.size)
  }

  /// Notes that the person has read some of their own.
  public func markRead(_ ids: [NoticeID], of account: AccountID) async throws {
    let now = clock.now()
    try await store.write { tx in
      for id in ids { try tx.markRead(id, of: account, at: now) }
    }
  }
}
