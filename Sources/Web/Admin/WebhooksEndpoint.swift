import Domain
import Flows
import HTTP
import Pages

/// The systems that are told what happens here: makes them, shows their secrets once, tries and deletes them.
struct WebhooksEndpoint: Sendable {
  static let path = "/admin/webhooks"
  private static let purpose = "webhook"
  /// How many of the latest messages stand with each.
  private static let shownMessages: Int64 = 10

  private let admin: AdminDesk
  private let webhooks: ManageWebhooks

  init(_ admin: AdminDesk) {
    self.admin = admin
    webhooks = ManageWebhooks(admin.here)
  }

  func get(_ call: AdminCall) async throws -> Response {
    try await page(Self.form(url: ""), chosen: Set(Webhook.Event.allCases.map(\.rawValue)), call)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let chosen = Set(posted.values(of: "event"))
    do {
      let events = Webhook.Event.allCases.filter { chosen.contains($0.rawValue) }
      let secret = try await webhooks.create(
        (posted["webhook_url"] ?? "").trimmed, events, by: call.id, call.visitor
      ).secret
      let query: QueryItems = ["ticket": admin.here.keep(secret, for: call.id, Self.purpose).revealedText]
      return try admin.desk.redirect(to: query.appended(to: Self.path))
    } catch let refusal as Refusal where refusal.code == .invalidRequest {
      var form = Self.form(url: posted["webhook_url"] ?? "")
      form.refuse("webhook_url", Words(refusal.description))
      return try await page(form, chosen: chosen, call, status: 422)
    }
  }

  func test(_ call: AdminCall) async throws -> Response {
    let delivery = try await webhooks.test(try id(call))
    let told = delivery.state == .delivered ? "The test message was taken" : "The test message was not taken"
    return try admin.redirect(to: Self.path, .changed, "\(told): \(delivery.answer ?? "").")
  }

  func delete(_ call: AdminCall) async throws -> Response {
    try await webhooks.delete(try id(call), by: call.id, call.visitor)
    return try admin.desk.redirect(to: Self.path)
  }

  private func id(_ call: AdminCall) throws -> WebhookID {
    guard let id = call.call.segments["webhook"].flatMap(WebhookID.init) else {
      throw Refusal(.notFound, "There is no webhook of this id.")
    }
    return id
  }

  private func page(
    _ form: PageForm, chosen: Set<String>, _ call: AdminCall, status: Status = .ok
  ) async throws -> Response {
    let new = try call.onceOnlyTicket().flatMap { admin.here.take($0, for: call.id, Self.purpose) }
    let slots: PageContext.Object = [
      "new_secret": .text(ifAny: new?.revealedText),
      "tested": .text(ifAny: try admin.text(of: .changed, at: Self.path, call)),
      "events": .list(Webhook.Event.allCases.map { $0.slots(isChosen: chosen.contains($0.rawValue)) }),
      "webhooks": .list(
        try await webhooks.list(messages: Self.shownMessages).map { .object($0.webhook.slots($0.deliveries)) }),
    ]
    return try admin.render(.adminWebhooks, form.slots.merging(slots), call, status: status)
  }

  private static func form(url: String) -> PageForm {
    var form = PageForm()
    form.fill("webhook_url", with: url)
    return form
  }
}

extension Webhook.Event {
  fileprivate func slots(isChosen: Bool) -> PageContext {
    ["value": .text(rawValue), "meaning": .text(meaning), "checked": .flag(isChosen)]
  }

  private var meaning: String {
    switch self {
    case .credentialBroken: "A service no longer takes what a person stored, or it has run out."
    case .credentialRecovered: "It works again."
    case .credentialExpiring: "It ends soon, and only its owner can renew it."
    case .credentialNewClient: "An app used it for the first time."
    case .signOutIncomplete: "A service did not confirm a sign-out."
    }
  }
}

extension Webhook {
  fileprivate func slots(_ deliveries: [WebhookDelivery]) -> PageContext.Object {
    [
      "id": .text(id.text), "url": .text(url), "events": .text(events.map(\.rawValue).joined(separator: ", ")),
      "made": .time(createdAt.seconds), "messages": .list(deliveries.map(\.slots)),
    ]
  }
}

extension WebhookDelivery {
  fileprivate var slots: PageContext {
    [
      "event": .text(event), "time": .time(createdAt.seconds), "delivered": .flag(state == .delivered),
      "failed": .flag(state == .failed), "answer": .text(ifAny: answer), "attempts": .number(attempts),
    ]
  }
}
