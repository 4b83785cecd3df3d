import Domain
import Flows
import JSON

/// `gatehouse webhook …`.
enum WebhookCommand {
  static let all = [create, list, test, delete]

  private static let events = Option(
    "--events", "EVENT",
    "What it is told of, with commas between: \(Webhook.Event.allCases.map(\.rawValue).joined(separator: ", ")); all of it "
      + "unless you say otherwise.")

  private static let create = Command(
    name: "webhook create",
    summary: "Have a system told by signed messages what happens here. The secret is shown this once.",
    operand: Operand(name: "URL", meaning: "where the messages go: an https URL, or http on this machine."),
    options: [events, .json],
    action: .installation { here, arguments in
      let chosen = try arguments.value(of: events).map(parse) ?? Webhook.Event.allCases
      let (webhook, secret) = try await ManageWebhooks(here).create(
        arguments.operand, chosen, by: nil, .commandLine)
      if arguments.has(.json) {
        return .json(.object(members(webhook) + [JSONValue.Member("secret", .string(secret.revealedText))]))
      }
      return CommandResult(
        output: "\(webhook.id)\n\(secret.revealedText)\nThe secret checks the signatures, and is shown this once only.")
    })

  private static let list = Command(
    name: "webhook list", summary: "List the systems that are told what happens here.", options: [.json],
    action: .installation { here, arguments in
      let all = try await ManageWebhooks(here).list(messages: 1)
      if arguments.has(.json) { return .json(.array(all.map { .object(members($0.webhook)) })) }
      let rows = all.map { entry in
        let last = entry.deliveries.first
        return [
          entry.webhook.id.text, entry.webhook.url, last.map { "\($0.state.rawValue) \($0.answer ?? "")" } ?? "-",
        ]
      }
      return CommandResult(
        output: rows.isEmpty ? "There are no webhooks." : TextTable.lines([["ID", "URL", "LAST MESSAGE"]] + rows))
    })

  private static let operand = Operand(name: "ID", meaning: "the webhook's id, as 'webhook list' shows it.")

  private static let test = Command(
    name: "webhook test", summary: "Send a test message, and say what the system answers.", operand: operand,
    options: [.json],
    action: .installation { here, arguments in
      let delivery = try await ManageWebhooks(here).test(try id(arguments))
      let answer = delivery.answer ?? ""
      if arguments.has(.json) {
        return .json([
          "id": .string(delivery.id.text), "delivered": .bool(delivery.state == .delivered), "answer": .string(answer),
        ])
      }
      guard delivery.state == .delivered else { return .failure("The message was not taken: \(answer)") }
      return CommandResult(output: "The message \(delivery.id) was taken: \(answer)")
    })

  private static let delete = Command(
    name: "webhook delete", summary: "Tell a system no more; what waits for it is dropped.", operand: operand,
    options: [.yes, .json],
    action: .installation { here, arguments in
      let id = try id(arguments)
      guard arguments.has(.yes) else {
        throw UsageFailure("Deleting \(id) cannot be undone. Add --yes if it is meant.")
      }
      try await ManageWebhooks(here).delete(id, by: nil, .commandLine)
      if arguments.has(.json) { return .json(["id": .string(id.text), "done": "delete"]) }
      return CommandResult(output: "\(id): deleted")
    })

  private static func id(_ arguments: Arguments) throws(UsageFailure) -> WebhookID {
    guard let id = WebhookID(arguments.operand) else {
      throw UsageFailure("\"\(arguments.operand)\" is not the id of a webhook: it begins with hook_.")
    }
    return id
  }

  private static func parse(_ text: String) throws(UsageFailure) -> [Webhook.Event] {
    var events: [Webhook.Event] = []
    for word in text.split(separator: ",") {
      guard let event = Webhook.Event(rawValue: String(word)) else {
        throw UsageFailure(
          "\"\(word)\" is no event. There are \(Spelling.list(Webhook.Event.allCases.map(\.rawValue))).")
      }
      if !events.contains(event) { events.append(event) }
    }
    return events
  }

  private static func members(_ webhook: Webhook) -> [JSONValue.Member] {
    [
      .init("id", .string(webhook.id.text)), .init("url", .string(webhook.url)),
      .init("events", .array(webhook.events.map { .string($0.rawValue) })),
      .init("created_at", .integer(webhook.createdAt.seconds)),
    ]
  }
}
