public import Domain
import HTTP
import Storage

/// Signs a person out of this browser at an app's wish (OpenID Connect RP-Initiated Logout); what is stored for their
/// services stays.
public struct EndBrowserSession: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// The parameters as sent (§2).
  public struct Parameters: Sendable {
    public var idTokenHint: String?
    public var clientID: String?
    public var redirectURI: String?
    public var state: String?

    public init() {}
  }

  /// What an app asked for, as far as it may be believed.
  public struct Wish: Sendable {
    public let client: Client?
    /// Where the browser goes afterwards, with the `state`; only ever an address that the client registered.
    public let target: String?
    /// Why people do not go where they were to, in a sentence for the app's developer.
    public let objection: String?
    /// Whether the app's ID token says that it means this very session, or it means none that is here.
    public let isForThisSession: Bool
  }

  /// Reads what an app asks for of whoever is signed in; what cannot be believed is as if it were not there (§4).
  public func wish(_ parameters: Parameters, _ signedIn: SignedIn?) async throws -> Wish {
    let hint = parameters.idTokenHint.flatMap(here.readIDToken)
    let named = parameters.clientID.flatMap(ClientID.init)
    let isConsistent =
      (parameters.idTokenHint == nil || hint != nil) && (hint == nil || named == nil || hint?.client == named)
    var client: Client?
    if isConsistent, let id = hint?.client ?? named { client = try await here.liveClient(id) }
    let isTheirs =
      hint.map { hint in
        guard let signedIn else { return true }
        return hint.account == signedIn.account.id && hint.sessionID == signedIn.session.hash.publicID
      } ?? false
    let target = client.flatMap { Self.target(parameters, $0) }
    return Wish(
      client: client, target: target,
      objection: target == nil && parameters.redirectURI != nil
        ? Self.objection(isConsistent: isConsistent, client) : nil,
      isForThisSession: isConsistent && isTheirs)
  }

  private static func objection(isConsistent: Bool, _ client: Client?) -> String {
    let parameter = "post_logout_redirect_uri"
    guard isConsistent else {
      return
        "id_token_hint is no ID token of ours, or of another client than client_id: \(parameter) counts for nothing."
    }
    guard let client else {
      return "Neither client_id nor id_token_hint names a client: \(parameter) counts for nothing."
    }
    return "\(parameter) is not registered for \(client.id), to the byte: nobody is sent there."
  }

  /// Ends the session with what it gave to apps, tells the apps of it, and returns when they know or have had their time.
  public func callAsFunction(_ signedIn: SignedIn, by client: ClientID?, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    let (hash, notify) = (signedIn.session.hash, NotifyClients(here))
    let ended = here.recording(
      AuditEvent(.sessionEnded, at: now, origin: visitor.origin, account: signedIn.account.id, client: client))
    let notices = try await here.store.write { tx -> [LogoutNotice] in
      guard try tx.deleteSession(hash) else { return [] }
      let notices = try notify.note(hash, tx, at: now)
      try tx.revokeFamilies(ofSession: hash, at: now)
      try ended(tx)
      return notices
    }
    await notify.tell(notices)
  }

  /// The registered address that is asked for, compared byte for byte.
  private static func target(_ parameters: Parameters, _ client: Client) -> String? {
    guard let wanted = parameters.redirectURI,
      client.options.postLogoutRedirectURIs.contains(where: { $0.text.utf8.elementsEqual(wanted.utf8) })
    else { return nil }
    return parameters.state.map { RedirectURI.appending("state=\(PercentCoding.encode($0))", to: wanted) }
      ?? wanted
  }
}
