public import Domain
import SQL

extension Transaction {
  public func insert(_ webhook: Webhook, secret: Sealed) throws {
    let events = webhook.events.map(\.rawValue).joined(separator: " ")
    try session.run(
      """
      INSERT INTO webhook (id, url, events, created_at, kek_id, wrapped_key, box)
      VALUES (\(webhook.id), \(webhook.url), \(events), \(webhook.createdAt), \(secret.kekID), \(secret.wrappedKey),
        \(secret.box))
      """)
  }

  /// Every webhook, the oldest first.
  public func webhooks() throws -> [Webhook] {
    try session.rows("SELECT id, url, events, created_at FROM webhook ORDER BY created_at, id").map(Webhook.init(row:))
  }

  public func sealedWebhook(_ id: WebhookID) throws -> (Webhook, Sealed)? {
    try session.first("SELECT id, url, events, created_at, kek_id, wrapped_key, box FROM webhook WHERE id = \(id)")
      .map { (try Webhook(row: $0), try $0.sealed()) }
  }

  public func deleteWebhook(_ id: WebhookID) throws -> Bool {
    try session.run("DELETE FROM webhook WHERE id = \(id)") > 0
  }

  public func insert(_ delivery: WebhookDelivery, nextAttemptAt: Timestamp?) throws {
    try session.run(
      """
      INSERT INTO webhook_delivery (id, webhook_id, event, body, created_at, attempts, state, answer, next_attempt_at)
      VALUES (\(delivery.id), \(delivery.webhook), \(delivery.event), \(delivery.body), \(delivery.createdAt),
        \(delivery.attempts), \(delivery.state.rawValue), \(delivery.answer), \(nextAttemptAt))
      """)
  }

  /// The latest messages to a webhook, newest first.
  public func deliveries(to webhook: WebhookID, limit: Int64) throws -> [WebhookDelivery] {
    try session.rows(
      """
      SELECT \(.deliveryColumns) FROM webhook_delivery
      WHERE webhook_id = \(webhook) ORDER BY created_at DESC, id LIMIT \(limit)
      """
    ).map(WebhookDelivery.init(row:))
  }

  /// Takes up to 20 messages that are due, and puts off their next attempt so that nobody else takes them meanwhile.
  public func takeDueDeliveries(at now: Timestamp, until lease: Timestamp) throws -> [WebhookDelivery] {
    try session.rows(
      """
      UPDATE webhook_delivery SET next_attempt_at = \(lease), attempts = attempts + 1
      WHERE next_attempt_at <= \(now)
        AND id IN
          (SELECT id FROM webhook_delivery WHERE next_attempt_at <= \(now) ORDER BY next_attempt_at, id LIMIT 20)
      RETURNING id, webhook_id, event, body, created_at, attempts, state, answer
      """
    ).map(WebhookDelivery.init(row:)).sorted { $0.id.text < $1.id.text }
  }

  /// Makes every message due that waits: whoever was about to send one is dead.
  public func makeDeliveriesDue(at now: Timestamp) throws {
    try session.run("UPDATE webhook_delivery SET next_attempt_at = \(now) WHERE next_attempt_at > \(now)")
  }

  /// Writes down what an attempt brought; without a next one it is settled.
  public func settle(
    _ id: WebhookDeliveryID, _ state: WebhookDelivery.State, answer: String, nextAttemptAt: Timestamp?
  ) throws {
    try session.run(
      """
      UPDATE webhook_delivery SET state = \(state.rawValue), answer = \(answer), next_attempt_at = \(nextAttemptAt)
      WHERE id = \(id)
      """)
  }

  /// Forgets at most 500 settled messages to a webhook beyond the latest; how many.
  public func deleteDeliveries(to webhook: WebhookID, keeping length: Int64) throws -> Int {
    try session.run(
      """
      DELETE FROM webhook_delivery WHERE next_attempt_at IS NULL AND id IN
        (SELECT id FROM webhook_delivery WHERE webhook_id = \(webhook) AND next_attempt_at IS NULL
         ORDER BY created_at DESC, id LIMIT 500 OFFSET \(length))
      """)
  }
}

extension Webhook {
  init(row: Row) throws {
    self.init(
      id: try row.identifier("id"), url: try row.text("url"),
      events: try row.text("events").split(separator: " ").compactMap { Event(rawValue: String($0)) },
      createdAt: try row.time("created_at"))
  }
}

extension WebhookDelivery {
  init(row: Row) throws {
    self.init(
      id: try row.identifier("id"), webhook: try row.identifier("webhook_id"), event: try row.text("event"),
      body: try row.text("body"), createdAt: try row.time("created_at"), attempts: try row.integer("attempts"),
      state: try row.parsed("state", State.init(rawValue:)), answer: try row.optionalText("answer"))
  }
}

extension Columns {
  static let deliveryColumns = Columns("id, webhook_id, event, body, created_at, attempts, state, answer")
}
