/// The application behind an API key credential: whoever proves to be it may make its keys anew, and so end them.
public struct KeyItem: Sendable, Equatable {
  public let clientID: String
  public let clientSecret: Secret

  public init(clientID: String, clientSecret: Secret) {
    self.clientID = clientID
    self.clientSecret = clientSecret
  }

  /// What is wrong with it before anybody is asked, with the field to mend.
  public var objections: [(field: String, text: String)] {
    var found: [(String, String)] = []
    if clientID.isEmpty || clientID.utf8.count > 200 {
      found.append(("client_id", "Enter the client id of the key's item in ArcGIS."))
    }
    if clientSecret.isEmpty { found.append(("client_secret", "Enter the client secret of the key's item in ArcGIS.")) }
    return found
  }
}

/// What became in ArcGIS of an API key that is not used here any more.
public enum KeyEnding: Sendable, Equatable {
  /// It no longer works.
  case cancelled
  /// ArcGIS did not confirm that; it is asked again for a day at most.
  case retrying(until: Timestamp)
  /// It cannot be cancelled from here, since the secret of its item is not known, or its slot.
  case cannot(until: Timestamp)
  /// Nobody asked for it to be cancelled.
  case left(until: Timestamp)
}

/// An API key credential of ArcGIS has two slots, each with a key and an end of its own.
extension UpstreamTokens {
  /// An API key, and the one that takes its place later; what is said to end is the one that ends last.
  public init(key: TypedToken, next: TypedToken? = nil, item: KeyItem? = nil) {
    self.init(
      accessToken: key.token, accessExpiresAt: key.expiresAt, refreshToken: nil,
      refreshExpiresAt: next.map { max($0.expiresAt, key.expiresAt) })
    referer = key.referer
    nextKey = next
    keyItem = item
  }

  /// The access token as the API key that it is.
  public var key: TypedToken { TypedToken(token: accessToken, expiresAt: accessExpiresAt, referer: referer) }

  /// Whether the API keys among them can be cancelled in ArcGIS.
  public var canCancelKeys: Bool {
    keyItem != nil && key.apiKeySlot != nil && nextKey.map { $0.apiKeySlot != nil } ?? true
  }
}

extension TypedToken {
  /// Whether both can work at the same time: a new key ends the one that stood in its slot.
  public func standsBeside(_ other: TypedToken) -> Bool {
    token != other.token && (apiKeySlot == nil || apiKeySlot != other.apiKeySlot)
  }
}
