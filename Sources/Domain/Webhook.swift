public typealias WebhookID = Identifier<Webhook>
public typealias WebhookDeliveryID = Identifier<WebhookDelivery>

/// An address of an administrator's system that is told what happens here (Standard Webhooks 1.0).
public struct Webhook: Sendable, Equatable, Identified {
  public static let idPrefix = "hook"
  public static let mostOfInstallation = 20

  public enum Event: String, Sendable, CaseIterable {
    /// What is stored for a service is not taken any more, or has run out.
    case credentialBroken = "credential.broken"
    case credentialRecovered = "credential.recovered"
    /// It ends soon, and only its owner can renew it.
    case credentialExpiring = "credential.expiring"
    /// An app used something for the first time.
    case credentialNewClient = "credential.new_client"
    /// A service did not confirm that what it gave was cancelled.
    case signOutIncomplete = "sign_out.incomplete"
  }

  public let id: WebhookID
  public let url: String
  public let events: [Event]
  public let createdAt: Timestamp

  public init(id: WebhookID, url: String, events: [Event], createdAt: Timestamp) {
    self.id = id
    self.url = url
    self.events = events
    self.createdAt = createdAt
  }

  /// Where the sealed secret belongs that its messages are signed with.
  public var secretContext: SealContext {
    SealContext(table: "webhook", column: "secret", row: id.text, binding: url)
  }
}

/// One message to a webhook, and what became of it.
public struct WebhookDelivery: Sendable, Equatable, Identified {
  /// Also the `webhook-id` of the message, the same at each attempt.
  public static let idPrefix = "msg"
  /// Seconds after which it is given up: two days.
  public static let lifetime: Int64 = 2 * 24 * 60 * 60
  /// How many of one webhook are kept.
  public static let logLength: Int64 = 100
  /// What the message is called that only tries whether messages arrive.
  public static let testEvent = "test"

  public enum State: String, Sendable {
    case waiting
    case delivered
    /// It was refused for two days, or the test failed.
    case failed
  }

  public let id: WebhookDeliveryID
  public let webhook: WebhookID
  public let event: String
  /// JSON, as it is sent and signed.
  public let body: String
  public let createdAt: Timestamp
  public let attempts: Int64
  public let state: State
  /// What the last attempt brought: a status, or why there was none.
  public let answer: String?

  public init(
    id: WebhookDeliveryID, webhook: WebhookID, event: String, body: String, createdAt: Timestamp, attempts: Int64 = 0,
    state: State = .waiting, answer: String? = nil
  ) {
    self.id = id
    self.webhook = webhook
    self.event = event
    self.body = body
    self.createdAt = createdAt
    self.attempts = attempts
    self.state = state
    self.answer = answer
  }
}
