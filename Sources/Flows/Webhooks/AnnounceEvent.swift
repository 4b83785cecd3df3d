import Domain
import JSON
import Pages
import Storage

/// What happened, for the systems of administrators; ids and names only.
struct WebhookFacts: Sendable {
  var account: AccountID?
  var connection: ConnectionID?
  var client: ClientID?
  /// When it ends, where that is what happened.
  var endsAt: Timestamp?
  /// A fixed sentence on why.
  var reason: String?

  /// The body of a message (Standard Webhooks 1.0).
  func body(_ event: String, at now: Timestamp) -> String {
    let data = JSONWriter.object { json in
      if let account, account != Account.service { json.member("account", account.text) }
      if let connection { json.member("connection", connection.text) }
      if let client { json.member("client", client.text) }
      if let endsAt { json.member("ends_at", PageContext.isoTime(endsAt.seconds, exact: true)) }
      if let reason { json.member("reason", reason) }
    }
    let timestamp = PageContext.isoTime(now.seconds, exact: true)
    return #"{"type":"\#(event)","timestamp":"\#(timestamp)","data":\#(String(decoding: data, as: UTF8.self))}"#
  }
}

extension Installation {
  /// Puts messages of an event into the outbox, in the transaction that brings it about.
  func announce(_ event: Webhook.Event, _ facts: WebhookFacts, _ tx: Transaction, at now: Timestamp) throws {
    for webhook in try tx.webhooks() where webhook.events.contains(event) {
      let delivery = WebhookDelivery(
        id: .random(), webhook: webhook.id, event: event.rawValue, body: facts.body(event.rawValue, at: now),
        createdAt: now)
      try tx.insert(delivery, nextAttemptAt: now)
    }
  }
}
