import Crypto
public import Domain
import Storage
import Upstream

/// Makes, lists, tries and deletes webhooks.
public struct ManageWebhooks: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// - Returns: The webhook, and the secret with which its messages are signed, which is shown this once.
  /// - Throws: `Refusal` with a sentence for the administrator, who is `nil` on the command line.
  public func create(
    _ url: String, _ events: [Webhook.Event], by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> (Webhook, secret: Secret) {
    guard here.upstreams.clients.isWebhookAddress(url) else {
      throw Refusal(.invalidRequest, "The address must be an https URL, or an http URL on this machine.")
    }
    guard !events.isEmpty else { throw Refusal(.invalidRequest, "Choose one event at least.") }
    let now = here.clock.now()
    let webhook = Webhook(id: .random(), url: url, events: events, createdAt: now)
    let secret = Secret("whsec_" + String(Base64.encode(Random.bytes(32))))
    let sealed = try here.vault.seal(secret, in: webhook.secretContext)
    let event = here.recording(
      AuditEvent(.webhookCreated, at: now, origin: visitor.origin, account: administrator, detail: webhook.id.text))
    let hasRoom = try await here.store.write { tx in
      guard try tx.webhooks().count < Webhook.mostOfInstallation else { return false }
      try tx.insert(webhook, secret: sealed)
      try event(tx)
      return true
    }
    guard hasRoom else {
      throw Refusal(.invalidRequest, "There are \(Webhook.mostOfInstallation) webhooks, which is the most.")
    }
    return (webhook, secret)
  }

  /// Every webhook, with the latest messages to it, newest first.
  public func list(messages: Int64) async throws -> [(webhook: Webhook, deliveries: [WebhookDelivery])] {
    try await here.store.read { tx in
      try tx.webhooks().map { ($0, try tx.deliveries(to: $0.id, limit: messages)) }
    }
  }

  /// Sends a message that says nothing, once, and waits for what comes of it.
  ///
  /// - Throws: `Refusal` `not_found`.
  public func test(_ id: WebhookID) async throws -> WebhookDelivery {
    let now = here.clock.now()
    let delivery = WebhookDelivery(
      id: .random(), webhook: id, event: WebhookDelivery.testEvent,
      body: WebhookFacts().body(WebhookDelivery.testEvent, at: now), createdAt: now, attempts: 1)
    let isThere = try await here.store.write { tx in
      guard try tx.sealedWebhook(id) != nil else { return false }
      try tx.insert(delivery, nextAttemptAt: nil)
      return true
    }
    guard isThere else { throw Self.unknown(id) }
    try await DeliverWebhooks(here).attempt(delivery, triesAgain: false)
    let settled = try await here.store.read { try $0.deliveries(to: id, limit: WebhookDelivery.logLength) }
    return settled.first { $0.id == delivery.id } ?? delivery
  }

  /// - Throws: `Refusal` `not_found`.
  public func delete(_ id: WebhookID, by administrator: AccountID?, _ visitor: Visitor) async throws {
    let event = here.recording(
      AuditEvent(
        .webhookDeleted, at: here.clock.now(), origin: visitor.origin, account: administrator, detail: id.text))
    let isGone = try await here.store.write { tx in
      guard try tx.deleteWebhook(id) else { return false }
      try event(tx)
      return true
    }
    guard isGone else { throw Self.unknown(id) }
  }

  private static func unknown(_ id: WebhookID) -> Refusal {
    Refusal(.notFound, "There is no webhook \(id).")
  }
}
