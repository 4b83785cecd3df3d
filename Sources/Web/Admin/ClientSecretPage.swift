import Domain
import Flows
import HTTP
import Pages
import Storage

/// The only page that shows a secret: the answer to registering a client, and to making a new secret.
struct ClientSecretPage: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  struct Content: Sendable {
    let client: Client
    /// `nil` for a public client.
    let secret: Secret?
    /// Set when the client was there before.
    var rotation: Rotation?
  }

  struct Rotation: Sendable {
    let oldEndsAt: Timestamp?
  }

  func answer(_ content: Content, _ call: AdminCall) async throws -> Response {
    let (client, issuer) = (content.client, admin.here.issuer)
    let slots: PageContext.Object = [
      "rotated": .flag(content.rotation != nil),
      "old_secret_ends": .time(ifAny: content.rotation?.oldEndsAt?.seconds), "id": .text(client.id.text),
      "name": .text(client.name), "client_secret": .text(ifAny: content.secret?.revealedText),
      "metadata_url": .text("\(issuer)/.well-known/oauth-authorization-server"),
      "acts_alone": .flag(client.grants.contains(.clientCredentials)), "token_url": .text("\(issuer)/oauth2/token"),
      "vend_url": .text("\(issuer)/v1/token"), "example_resource": .text(try await exampleResource(client)),
    ]
    return try admin.render(.adminClientCreated, slots, call)
  }

  /// A URL that the client may ask for.
  private func exampleResource(_ client: Client) async throws -> String {
    let patterns = try await admin.here.store.read { tx in
      try client.permissions.compactMap { try tx.connection($0.connection) }.flatMap(\.resources)
    }
    return patterns.map(\.text).first { $0.contains("://") } ?? "https://maps.example.org/server/rest/services"
  }
}
