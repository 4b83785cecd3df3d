/// One secret of a confidential client, as the store holds it.
public struct ClientSecret: Sendable, Equatable {
  public let hash: TokenHash
  /// When it stops working; `nil` for never.
  public let expiresAt: Timestamp?

  public init(hash: TokenHash, expiresAt: Timestamp?) {
    self.hash = hash
    self.expiresAt = expiresAt
  }

  public func isLive(at now: Timestamp) -> Bool { expiresAt.map { now < $0 } ?? true }
}
