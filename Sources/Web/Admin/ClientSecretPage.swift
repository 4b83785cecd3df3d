import Domain
import Flows
import HTTP
import Pages
import Storage

/// The only page that shows a secret, once: after registering a client, and after making a new secret.
struct ClientSecretPage: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  /// What made the secret.
  enum Occasion: String, CaseIterable, Sendable {
    case registered
    case rotated
  }

  /// Sends the browser to the page, so that reloading it does not make another client or secret.
  ///
  /// `secret` is `nil` for a public client.
  func redirect(to client: Client, _ secret: Secret?, _ occasion: Occasion, _ call: AdminCall) throws -> Response {
    let path = Self.path(client.id)
    guard let secret else { return try admin.redirect(to: path, .created, client.name) }
    let ticket = admin.here.keep(secret, for: call.id, Self.purpose(client.id, occasion))
    let query: QueryItems = ["ticket": ticket.revealedText]
    return try admin.desk.redirect(to: query.appended(to: path))
  }

  func get(_ call: AdminCall) async throws -> Response {
    let secrets = try await admin.here.clientSecrets(call.clientID())
    let client = secrets.client
    let (occasion, secret) = try taken(for: client, call)
    let slots: PageContext.Object = [
      "registered": .flag(occasion == .registered), "rotated": .flag(occasion == .rotated),
      "confidential": .flag(client.kind == .confidential),
      "old_secret_ends": .time(ifAny: secrets.previousEndsAt?.seconds),
      "client_secret": .text(ifAny: secret?.revealedText),
    ]
    return try admin.render(
      .adminClientCreated, slots.merging(try await instructions(client)), call)
  }

  /// What waits for the page, and why; nothing when it was shown before, or too long ago.
  private func taken(for client: Client, _ call: AdminCall) throws -> (Occasion?, Secret?) {
    if let ticket = try call.onceOnlyTicket() {
      for occasion in Occasion.allCases {
        if let secret = admin.here.take(ticket, for: call.id, Self.purpose(client.id, occasion)) {
          return (occasion, secret)
        }
      }
    }
    let isNew = try admin.text(of: .created, at: Self.path(client.id), call) != nil
    return (isNew ? .registered : nil, nil)
  }

  /// What the app's developer needs.
  private func instructions(_ client: Client) async throws -> PageContext.Object {
    let issuer = admin.here.issuer
    return [
      "id": .text(client.id.text), "name": .text(client.name),
      "metadata_url": .text("\(issuer)/.well-known/oauth-authorization-server"),
      "acts_alone": .flag(client.grants.contains(.clientCredentials)), "token_url": .text("\(issuer)/oauth2/token"),
      "vends": .flag(client.signsPeopleIn && client.scope.contains(Scope.vend)),
      "vend_url": .text("\(issuer)/v1/token"), "example_resource": .text(try await exampleResource(client)),
    ]
  }

  /// A URL for which the client gets a token once a person has connected and allowed.
  private func exampleResource(_ client: Client) async throws -> String {
    let connections = try await admin.here.store.read { tx in
      try client.permissions.filter(\.handsOutRawTokens).compactMap { try tx.connection($0.connection) }
    }
    return connections.lazy.compactMap(\.exampleResource).first ?? "https://maps.example.org/server/rest/services"
  }

  static func path(_ id: ClientID) -> String { "\(ClientListEndpoint.path)/\(id)/secret" }

  private static func purpose(_ id: ClientID, _ occasion: Occasion) -> String { "\(occasion.rawValue) \(id)" }
}

extension Connection {
  /// The page of a portal that tells an app whose token it holds, or else what the first prefix names.
  ///
  /// The root of a portal's host is neither portal nor server, though a prefix may be just that.
  fileprivate var exampleResource: String? {
    let portal = "\(origin)/sharing/rest/portals/self"
    if kind == .oauthUser, let url = ResourceURL(portal), resources.cover(url) {
      return portal
    }
    return resources.map(\.text).first { $0.contains("://") }
  }
}
