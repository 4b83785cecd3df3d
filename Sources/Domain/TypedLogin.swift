/// A user name and password for an upstream, as the person typed them: byte for byte, since ArcGIS tells capital from
/// small letters in both.
public struct TypedLogin: Sendable, Equatable {
  /// In minutes; what an ArcGIS portal gives when it is asked for no lifetime.
  public static let defaultTokenMinutes: Int64 = 120
  /// In minutes; ArcGIS gives no token for longer than 14 days.
  public static let longestTokenMinutes: Int64 = 20_160

  public let username: String
  public let password: Secret

  public init(username: String, password: Secret) {
    self.username = username
    self.password = password
  }

  /// What is wrong with it before anybody is asked, with the field to mend; nothing is trimmed or corrected.
  public var objections: [(field: String, text: String)] {
    var found: [(String, String)] = []
    let hasControl = username.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    if username.isEmpty {
      found.append(("username", "Enter your user name."))
    } else if username.utf8.count > 255 || hasControl {
      found.append(("username", "A user name has at most 255 bytes and no control characters."))
    }
    if password.isEmpty {
      found.append(("password", "Enter your password."))
    } else if password.revealed.count > 1024 {
      found.append(("password", "A password has at most 1024 bytes."))
    }
    return found
  }
}

/// Stops wrong passwords before an upstream locks the account they are typed for.
///
/// ArcGIS locks an account for 15 minutes after five wrong passwords within 15 minutes, and answers a right one as if it
/// were wrong then.
public enum LockoutGuard {
  /// In seconds.
  public static let window: Int64 = 15 * 60
  /// Passwords for one user name that are passed on within the window; what is left is for the person's other programs.
  public static let tries = 3
  /// How many of these one account of ours may make, so that it does not take those of the name's owner.
  public static let triesOfOneAccount = 2
  /// Passwords that one account of ours may try within the window, over all names and connections.
  public static let triesOverAllNames = 10
  /// Seconds before a stored password is sent again whose answer got lost: it may have been counted as wrong.
  public static let pauseAfterLostAnswer: Int64 = 5 * 60

  /// Why the next try is not made now.
  public struct Pause: Sendable, Equatable {
    public let seconds: Int64
    public let cause: Cause

    public enum Cause: Sendable {
      /// Too many passwords were tried for the user name.
      case username
      /// The account of ours tried too many, whatever the name.
      case account
    }

    public init(seconds: Int64, cause: Cause) {
      self.seconds = seconds
      self.cause = cause
    }
  }

  /// Why the next try has to wait, if it has to: after `all` tries for the user name, of which `own` are by the account
  /// that wants to try, and after those by this account for any name at any connection, `elsewhere`.
  public static func pause(
    after all: [Timestamp], own: [Timestamp], elsewhere: [Timestamp], at now: Timestamp
  ) -> Pause? {
    let byName = [wait(after: all, tries, at: now), wait(after: own, triesOfOneAccount, at: now)].compactMap { $0 }
      .max()
    if let byName { return Pause(seconds: byName, cause: .username) }
    return wait(after: elsewhere, triesOverAllNames, at: now).map { Pause(seconds: $0, cause: .account) }
  }

  private static func wait(after times: [Timestamp], _ limit: Int, at now: Timestamp) -> Int64? {
    let recent = times.filter { now - $0 < window }.sorted()
    guard recent.count >= limit else { return nil }
    return max(1, recent[recent.count - limit] + window - now)
  }
}

/// Why what a person typed into a form did not connect the service, told apart by what they can do.
public enum ConnectFailure: Error, Equatable, Sendable {
  /// Wrong, locked out, or an account without a password there: ArcGIS answers all three alike.
  case wrongPassword(String)
  /// An answer with this status, which says neither that the password is right nor that it is wrong.
  case unproven(Int)
  /// The upstream says that the account is locked.
  case accountLocked(String)
  /// The account signs in elsewhere (SAML, OpenID Connect, a social login) or with a second factor.
  case needsOAuth(String)
  /// The token is refused at once. One that the upstream just made: a wrong address, which another try would not mend.
  /// One that was typed: it has ended, is wrong, or is bound to another referer.
  case freshTokenRefused(String)
  /// The certificate cannot be used, or the server does not take it.
  case certificate(CertificateProblem)
  /// No ticket was had, or the server does not take it.
  case kerberos(KerberosProblem)
  /// What stands in front of the upstream did not let the call through, and the person holds nothing for it; by its name.
  case layerMissing(String)
  /// Nobody judged the password, or the answer is none.
  case upstream(UpstreamFailure)

  /// For the log; never holds what was typed.
  public var text: String {
    switch self {
    case .wrongPassword(let text), .accountLocked(let text), .needsOAuth(let text), .freshTokenRefused(let text): text
    case .unproven(let status): "the answer \(status) does not say whether the password is right"
    case .certificate(let problem): problem.word
    case .kerberos(let problem): problem.word
    case .layerMissing(let name): "\(name) stands in front, and the person is not connected to it."
    case .upstream(let failure): failure.text
    }
  }

  /// Whether the upstream took the password as right.
  public var provesPassword: Bool {
    switch self {
    case .freshTokenRefused, .kerberos(.ticketRefused): true
    default: false
    }
  }

  /// Whether the upstream cannot have counted a wrong password, since it never saw it.
  ///
  /// An answer proves nothing: what stands before a directory may dress up its verdict as it likes.
  public var countsNothing: Bool {
    switch self {
    case .upstream(let failure): failure.isUnsent
    case .kerberos(.clockSkew), .kerberos(.invalidKeytab): true
    case .wrongPassword, .unproven, .accountLocked, .needsOAuth, .freshTokenRefused, .certificate, .kerberos,
      .layerMissing:
      false
    }
  }
}
