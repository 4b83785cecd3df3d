public typealias AppPasswordID = Identifier<AppPassword>

/// A long random password that a person had made for one app at the ArcGIS portal of one connection: for apps that can be
/// told a user name and a password and nothing else.
///
/// It is never the account's own password, opens that portal alone, and only where an administrator lets it.
public struct AppPassword: Sendable, Equatable, Identified {
  public static let idPrefix = "apw"
  public static let mostOfAccount = 20
  /// Seconds without use after which one ends: 90 days, which is longer than anything lasts that was given for it.
  public static let idleLifetime: Int64 = 90 * 24 * 60 * 60

  public let id: AppPasswordID
  public let account: AccountID
  public let client: ClientID
  public let connection: ConnectionID
  /// What the password as it is typed gives under the key of ``pepperID``.
  public let code: [UInt8]
  public let pepperID: String
  /// Stands for a browser session in all that is given for the password, which ends with it.
  public let session: TokenHash
  public let createdAt: Timestamp
  public let lastUsedAt: Timestamp?

  public init(
    id: AppPasswordID, account: AccountID, client: ClientID, connection: ConnectionID, code: [UInt8], pepperID: String,
    session: TokenHash, createdAt: Timestamp, lastUsedAt: Timestamp? = nil
  ) {
    self.id = id
    self.account = account
    self.client = client
    self.connection = connection
    self.code = code
    self.pepperID = pepperID
    self.session = session
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }
}

extension Connection {
  /// The client of the apps that name none of ours at its portal; `nil` while no app passwords are taken there.
  public var appPasswordClient: ClientID? { kind.isPortal && !kind.isServiceOwned ? portal.appPasswordClient : nil }
}

extension Client {
  /// Why nobody can have an app password of it at the portal of `connection`, in words for an administrator; `nil` when
  /// people can.
  public func appPasswordObjection(at connection: Connection) -> String? {
    guard connection.kind.isPortal, !connection.kind.isServiceOwned else {
      return "\(connection.name) is no ArcGIS portal to which people sign in."
    }
    guard !isDisabled, isTrusted else { return "\(name) is disabled, or has not been checked by an administrator." }
    guard kind == .public else { return "\(name) is confidential: apps with a secret sign people in by OAuth." }
    guard !requiresBoundTokens else {
      return "The tokens of \(name) are bound to a key, which ArcGIS apps do not know."
    }
    guard scope.contains(Scope.arcGIS), permission(for: connection.id) != nil else {
      return "\(name) needs the scope \(Scope.arcGIS) and the connection \(connection.id)."
    }
    return nil
  }
}
