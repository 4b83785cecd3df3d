public import Domain
import Storage

/// What the sign-in page offers: the connections to choose from, and the name of the app that waits.
public struct OfferSignIn: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public struct Offer: Sendable {
    public let connections: [Connection]
    public let clientName: String?
    /// How its pages look, if they look otherwise than ours.
    public let look: ClientLookMark?
    /// Where the app gets its answer, which may follow the sign-in at once.
    public let redirectURI: String?
    /// What the app says that the person is called here.
    public let loginHint: String?
  }

  /// Who sent the person here.
  public enum Asker: Sendable {
    /// An app's authorization request, by its handle.
    case authorization(handle: String)
    case interaction(InteractionTicket)
  }

  /// Whether the app of an authorization request wants the person to prove anew who they are, which an upstream that
  /// remembers them would not ask.
  public func wantsProof(handle: String) async throws -> Bool {
    let now = here.clock.now()
    let waiting = try await here.store.read { try $0.authorizationRequest(TokenHash(of: handle), at: now) }
    guard let request = waiting?.request else { return false }
    return request.prompt?.asksLogin ?? false || request.openID.maximumAge != nil
  }

  public func callAsFunction(for asker: Asker?) async throws -> Offer {
    let now = here.clock.now()
    return try await here.store.read { tx in
      var (client, request): (ClientID?, AuthorizationRequest?)
      switch asker {
      case .authorization(let handle):
        request = try tx.authorizationRequest(TokenHash(of: handle), at: now)?.request
        client = request?.client
      case .interaction(let ticket): client = ticket.client
      case nil: break
      }
      let all = try tx.connections()
      return Offer(
        connections: all.filter { !$0.isDisabled && $0.kind.connectsInBrowser && $0.proxy(among: all) == nil },
        clientName: try client.flatMap { try tx.client($0)?.name }, look: try client.flatMap(tx.lookMark),
        redirectURI: request?.redirectURI,
        loginHint: request?.openID.loginHint)
    }
  }
}
