import Domain
import Flows
import HTTP
import JSON
import Storage

/// `gatehouse key …`.
enum APIKeyCommand {
  static let all = [create, ClientAPIKey.list, ClientAPIKey.show, edit, next, revoke]

  private static let client = Option("--client", "ID", "The client that gets the key.", .required)
  private static let name = Option(
    "--name", "NAME", "What you know the key by, for example where it is used.", .required)
  private static let publishable = Option(
    switch: "--publishable",
    "For pages and programs that anybody can read: it only reads, and only through the proxy.")
  private static let days = Option(
    "--days", "DAYS", "For how long the secret is good, 1 to 365; 90 unless you say otherwise.")
  private static let slot = Option(
    "--slot", "NUMBER", "End the secret of this slot alone, 1 or 2; the other goes on working.")

  private static let create = Command(
    name: "key create", summary: "Give a client an API key. It is shown this once.",
    options: [client, name, publishable] + APIKeyArguments.all + [days, .json],
    action: .installation { here, arguments in
      let owner = try arguments.values(of: client, "a client's id, which begins with client_", ClientID.init)[0]
      let kind: ClientAPIKey.Kind = arguments.has(publishable) ? .publishable : .secret
      let draft = ManageAPIKeys.Draft(
        name: try arguments.required(name), kind: kind, scope: try APIKeyArguments.scope(arguments, of: kind),
        limits: try APIKeyArguments.limits(arguments), days: try days(arguments))
      do {
        let made = try await ManageAPIKeys(here).create(draft, for: owner, by: nil, .commandLine)
        return result(made.key, made.text, 1, arguments)
      } catch let invalid as InvalidAPIKey {
        throw UsageFailure(invalid.objections.map(\.text).joined(separator: "\n"))
      }
    })

  private static let next = Command(
    name: "key next",
    summary: "Give a key its next secret. The one before works until it expires or is revoked.",
    operand: Operand(name: "ID", meaning: "the key's id, as 'key list' shows it."), options: [days, .json],
    action: .installation { here, arguments in
      let made = try await ManageAPIKeys(here).next(
        try id(arguments), days: try days(arguments), by: nil, .commandLine)
      return result(made.key, made.text, made.slot, arguments)
    })

  private static let newName = Option("--name", "NAME", "What you know the key by from now on.")

  private static let edit = Command(
    name: "key edit",
    summary: "Change what a key reaches, and from where and how often it may come. Its secrets go on working.",
    operand: Operand(name: "ID", meaning: "the key's id, as 'key list' shows it."),
    options: [newName] + APIKeyArguments.changes + [.json],
    action: .installation { here, arguments in
      let id = try id(arguments)
      let change = try APIKeyArguments.change(arguments)
      let name = arguments.value(of: newName)
      do {
        let key = try await EditAPIKey(here)(id, by: nil, .commandLine) { key in
          var edit = change(key)
          if let name { edit.name = name }
          return edit
        }
        return arguments.has(.json) ? .json(try await key.json(of: here)) : CommandResult(output: "\(id): changed")
      } catch let invalid as InvalidAPIKey {
        throw UsageFailure(invalid.objections.map(\.text).joined(separator: "\n"))
      }
    })

  private static let revoke = Command(
    name: "key revoke", summary: "End a key at once, or one of its two secrets.",
    operand: Operand(name: "ID", meaning: "the key's id, as 'key list' shows it."), options: [slot, .json],
    action: .installation { here, arguments in
      let number = try arguments.values(of: slot, "1 or 2") { Int64($0).flatMap { [1, 2].contains($0) ? $0 : nil } }
        .first
      let id = try id(arguments)
      try await ManageAPIKeys(here).revoke(id, slot: number, by: nil, .commandLine)
      if arguments.has(.json) { return .json(["id": .string(id.text), "done": "revoke"]) }
      return CommandResult(output: number.map { "\(id): secret \($0) revoked" } ?? "\(id): revoked")
    })

  private static func result(
    _ key: ClientAPIKey, _ text: Secret, _ number: Int64, _ arguments: Arguments
  ) -> CommandResult {
    let ends = key.slots.first { $0.number == number }?.expiresAt
    if arguments.has(.json) {
      return .json([
        "id": .string(key.id.text), "slot": .integer(number), "key": .string(text.revealedText),
        "expires_at": ends.map { .integer($0.seconds) } ?? .null,
      ])
    }
    return CommandResult(
      output: "\(key.id)\n\(text.revealedText)\nIt is good until \(String.moment(ends)), and is shown this once only.")
  }

  private static func id(_ arguments: Arguments) throws(UsageFailure) -> APIKeyID {
    guard let id = APIKeyID(arguments.operand) else {
      throw UsageFailure("\"\(arguments.operand)\" is not the id of a key: \(ClientAPIKey.idRule).")
    }
    return id
  }

  private static func days(_ arguments: Arguments) throws(UsageFailure) -> Int64 {
    try arguments.values(of: days, "a whole number of days from 1 to 365") {
      Int64($0).flatMap { ClientAPIKey.days.contains($0) ? $0 : nil }
    }.first ?? 90
  }
}

extension ClientAPIKey: Entry {
  static let noun = "key"
  static let plural = "API keys"
  static let idRule = "it begins with \(idPrefix)_"
  static let columns = ["CLIENT", "KIND", "EXPIRES", "LAST USE", "CONNECTIONS"]

  var isDisabled: Bool { revokedAt != nil }

  static func all(of here: Installation) async throws -> [(entry: ClientAPIKey, texts: [String])] {
    try await ManageAPIKeys(here).list().map { key in
      let ends = key.slots.filter { $0.revokedAt == nil }.map(\.expiresAt).max()
      let connections = key.scope.connections.map(\.text).joined(separator: ",")
      return (
        key,
        [
          key.client.text, key.kind.rawValue, .moment(ends), .moment(key.slots.compactMap(\.lastUsedAt).max()),
          connections,
        ]
      )
    }
  }

  static func entry(_ id: APIKeyID, in transaction: Transaction) throws -> ClientAPIKey? {
    try transaction.apiKey(id)
  }

  func json(of here: Installation) async throws -> JSONValue {
    let uses = try await ManageAPIKeys(here).show(id, days: 31).uses
    guard case .object(let members) = json else { return json }
    let days = uses.map { use -> JSONValue in
      [
        "day": .string(String(String.moment(Timestamp(seconds: use.day * 86_400)).prefix(10))),
        "calls": .integer(use.calls), "refusals": .integer(use.refusals),
      ]
    }
    return .object(members + [.init("uses", .array(days))])
  }

  var json: JSONValue {
    func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
    func number(_ number: Int64?) -> JSONValue { number.map(JSONValue.integer) ?? .null }
    return [
      "id": .string(id.text), "client_id": .string(client.text), "name": .string(name), "kind": .string(kind.rawValue),
      "connections": texts(scope.connections.map(\.text)), "resources": texts(scope.resources.map(\.text)),
      "methods": texts(scope.methods), "longest_answer": number(scope.longestAnswer),
      "referrers": texts(limits.referrers.map(\.text)), "networks": texts(limits.networks),
      "per_minute": number(limits.perMinute), "per_day": number(limits.perDay),
      "created_at": .integer(createdAt.seconds), "revoked_at": number(revokedAt?.seconds),
      "slots": .array(
        slots.map {
          [
            "slot": .integer($0.number), "created_at": .integer($0.createdAt.seconds),
            "expires_at": .integer($0.expiresAt.seconds), "revoked_at": number($0.revokedAt?.seconds),
            "last_used_at": number($0.lastUsedAt?.seconds),
          ]
        }),
    ]
  }
}
