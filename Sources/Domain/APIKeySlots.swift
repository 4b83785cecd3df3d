/// An API key credential of ArcGIS has two slots, each with a key and an end of its own.
extension UpstreamTokens {
  /// An API key, and the one that takes its place later; what is said to end is the one that ends last.
  public init(key: TypedToken, next: TypedToken? = nil) {
    self.init(
      accessToken: key.token, accessExpiresAt: key.expiresAt, refreshToken: nil,
      refreshExpiresAt: next.map { max($0.expiresAt, key.expiresAt) })
    referer = key.referer
    nextKey = next
  }

  /// The access token as the API key that it is.
  public var key: TypedToken { TypedToken(token: accessToken, expiresAt: accessExpiresAt, referer: referer) }
}

extension TypedToken {
  /// Whether both can work at the same time: a new key ends the one that stood in its slot.
  public func standsBeside(_ other: TypedToken) -> Bool {
    token != other.token && (apiKeySlot == nil || apiKeySlot != other.apiKeySlot)
  }
}
