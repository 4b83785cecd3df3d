/// One trip of a browser to an upstream and back, from the redirect to the callback.
///
/// Its row is found by the hash of `state`; the verifier and the nonce are sealed beside it.
public struct SignInAttempt: Sendable, Equatable {
  /// Seconds that a person may take at the upstream.
  public static let lifetime: Int64 = 10 * 60

  /// What the trip is for.
  public enum Purpose: Sendable, Equatable {
    case signIn
    /// The same for somebody who was invited, by the hash of the invitation's link.
    case acceptInvitation(TokenHash)
    /// Adds a credential to the account that is signed in.
    case connect(AccountID)
  }

  public let stateHash: TokenHash
  /// The hash of the browser's own cookie: a callback in another browser is refused.
  public let browser: TokenHash
  public let connection: ConnectionID
  public let connectionRevision: Int64
  public let purpose: Purpose
  /// Where the browser goes afterwards: a path of ours that was checked when the row was made.
  public let returnPath: String
  public let expiresAt: Timestamp

  public init(
    stateHash: TokenHash, browser: TokenHash, connection: ConnectionID, connectionRevision: Int64, purpose: Purpose,
    returnPath: String, expiresAt: Timestamp
  ) {
    self.stateHash = stateHash
    self.browser = browser
    self.connection = connection
    self.connectionRevision = connectionRevision
    self.purpose = purpose
    self.returnPath = returnPath
    self.expiresAt = expiresAt
  }
}

/// A path of our own to return to after a sign-in.
public enum ReturnPath {
  public static let account = "/account"

  /// `text` when it is surely a path on this server, else the account page: no parameter can send a browser elsewhere.
  public static func checked(_ text: String?) -> String {
    guard let text, text.utf8.count <= 1000, text.hasPrefix("/"), !text.hasPrefix("//") else { return account }
    let plain = text.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
        || "/-_=?.".utf8.contains(byte)
    }
    let isResolved = !text.contains("//") && !text.split(separator: "/").contains { $0.hasPrefix(".") }
    return plain && isResolved && !text.contains("..") ? text : account
  }
}
