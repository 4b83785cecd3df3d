public import Domain
import Storage

/// Looks at the invitation of a link, without using it up: mail programs open links too.
public struct OpenInvitation: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public struct Offer: Sendable {
    public let invitation: Invitation
    public let connection: Connection
    /// How a sign-in that shall accept it names the invitation.
    public let link: TokenHash
  }

  /// `nil` when the link is unknown, expired, withdrawn or was used.
  public func callAsFunction(_ token: String) async throws -> Offer? {
    let (link, now) = (TokenHash(of: token), here.clock.now())
    return try await here.store.read { tx in
      guard let invitation = try tx.openInvitation(link, at: now),
        let connection = try tx.connection(invitation.connection)
      else { return nil }
      return Offer(invitation: invitation, connection: connection, link: link)
    }
  }
}
