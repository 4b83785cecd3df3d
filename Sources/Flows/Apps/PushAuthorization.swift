public import Domain
import SQL
import Storage

/// Keeps an authorization request that a client sends by itself before it sends a browser (RFC 9126).
public struct PushAuthorization: Sendable {
  /// What a `request_uri` of ours begins with (§2.2).
  public static let prefix = "urn:ietf:params:oauth:request_uri:"

  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Takes a request of `client`, which has authenticated, and returns its `request_uri`.
  ///
  /// - Throws: `Refusal` as the authorization endpoint would tell it, the redirect URI included (§2.3).
  public func callAsFunction(_ parameters: BeginAuthorization.Parameters, by client: Client) async throws -> String {
    guard parameters.clientID == nil || parameters.clientID == client.id.text else {
      throw Refusal(.invalidRequest, "client_id is another client than the one that authenticated.")
    }
    var own = parameters
    own.clientID = client.id.text
    let request = try await BeginAuthorization(here).pushed(own)
    let (handle, now) = (NewToken(), here.clock.now())
    try await here.store.write {
      try $0.insert(request, hash: handle.hash, at: now, lifetime: AuthorizationRequest.pushedLifetime)
    }
    return Self.prefix + handle.secret.revealedText
  }

  /// Opens a pushed request in a browser.
  ///
  /// - Returns: The handle that names it in the pages that follow.
  /// - Throws: `Refusal` for a page: nothing that was sent is to be trusted when the request is not known.
  public func open(_ requestURI: String, clientID: String?) async throws -> Secret {
    guard requestURI.hasPrefix(Self.prefix) else {
      throw Refusal(.requestURINotSupported, "Only a request_uri that this server gave out is taken.")
    }
    let handle = Secret(String(requestURI.dropFirst(Self.prefix.count)))
    let (hash, now) = (TokenHash(of: handle.revealedText), here.clock.now())
    guard let id = clientID.flatMap(ClientID.init), try await here.liveClient(id) != nil,
      try await here.store.write({ try $0.openPushedRequest(hash, of: id, at: now) })
    else {
      throw Refusal(
        .invalidRequestURI,
        "This request has expired, has been answered, or is another app's. Go back to the app and try again.")
    }
    return handle
  }
}
