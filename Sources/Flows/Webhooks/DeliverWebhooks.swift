import Crypto
import Domain
import Logging
import Storage
import Upstream

/// Empties the outbox of messages to webhooks: each is tried until it is taken, or two days have passed.
public struct DeliverWebhooks: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Sends what is due, all together, so that one slow system holds up no other.
  public func callAsFunction() async throws {
    let now = here.clock.now()
    let due = try await here.store.write { try $0.takeDueDeliveries(at: now, until: now + 60) }
    await withDiscardingTaskGroup { group in
      for delivery in due {
        group.addTask {
          do { try await attempt(delivery, triesAgain: true) } catch {
            here.log.error(
              "a message to a webhook failed on our side",
              ["webhook": .string(delivery.webhook.text), "error": .string(String(describing: error))])
          }
        }
      }
    }
  }

  /// Makes what an earlier run of the program left behind due at once.
  public func takeOver() async throws {
    let now = here.clock.now()
    try await here.store.write { try $0.makeDeliveriesDue(at: now) }
  }

  func attempt(_ delivery: WebhookDelivery, triesAgain: Bool) async throws {
    guard let (webhook, sealed) = try await here.store.read({ try $0.sealedWebhook(delivery.webhook) }) else { return }
    guard let secret = try secret(of: webhook, sealed) else {
      here.log.error("the secret of a webhook does not open", ["webhook": .string(webhook.id.text)])
      return try await settle(delivery, .failed, "Its secret does not open.", next: nil)
    }
    let now = here.clock.now()
    let (isTaken, answer) = await here.upstreams.clients.send(message(delivery, secret, at: now), to: webhook.url)
    if isTaken { return try await settle(delivery, .delivered, answer, next: nil) }
    let next = now + DeliveryPause.seconds(afterAttempts: delivery.attempts)
    let isOver = !triesAgain || next > delivery.createdAt + WebhookDelivery.lifetime
    here.log.warning(
      "a webhook does not take a message", ["webhook": .string(webhook.id.text), "why": .string(answer)])
    try await settle(delivery, isOver ? .failed : .waiting, answer, next: isOver ? nil : next)
  }

  private func secret(of webhook: Webhook, _ sealed: Sealed) throws -> Secret? {
    do { return try here.vault.open(sealed, in: webhook.secretContext) } catch KeyFailure.notAuthentic { return nil }
  }

  /// The message with its MAC over id, time and body; the key is what stands behind `whsec_` in base64.
  private func message(_ delivery: WebhookDelivery, _ secret: Secret, at now: Timestamp) -> WebhookMessage {
    let key = Base64.decode(String(secret.revealedText.dropFirst("whsec_".count))) ?? []
    let signed = "\(delivery.id).\(now.seconds).\(delivery.body)"
    let mac = HMACSHA256(key: key).authenticate(Array(signed.utf8))
    return WebhookMessage(
      id: delivery.id.text, timestamp: now.seconds, body: delivery.body, signature: "v1,\(Base64.encode(mac))")
  }

  private func settle(
    _ delivery: WebhookDelivery, _ state: WebhookDelivery.State, _ answer: String, next: Timestamp?
  ) async throws {
    try await here.store.write { tx in
      try tx.settle(delivery.id, state, answer: String(answer.prefix(200)), nextAttemptAt: next)
      if next == nil { _ = try tx.deleteDeliveries(to: delivery.webhook, keeping: WebhookDelivery.logLength) }
    }
  }
}
