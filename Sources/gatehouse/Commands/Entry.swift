import Domain
import Flows
import JSON
import Pages
import Storage

/// The name of an entry, as people type it.
protocol EntryID: Sendable, CustomStringConvertible {
  init?(_ text: String)
}

extension Identifier: EntryID {}
extension ConnectionID: EntryID {}

/// Something registered here that commands list, show and change by its id.
protocol Entry: Sendable {
  associatedtype ID: EntryID

  /// The first word of its commands.
  static var noun: String { get }
  static var plural: String { get }
  /// How an id looks.
  static var idRule: String { get }

  var id: ID { get }
  var name: String { get }
  var isDisabled: Bool { get }
  var json: JSONValue { get }
  /// ``json`` with what has to be looked up.
  func json(of here: Installation) async throws -> JSONValue

  /// What the list says of each besides id, name and state.
  static var columns: [String] { get }
  /// Every entry by name, with the texts of ``columns``.
  static func all(of here: Installation) async throws -> [(entry: Self, texts: [String])]
  static func entry(_ id: ID, in transaction: Transaction) throws -> Self?
}

extension Entry {
  func json(of here: Installation) async throws -> JSONValue { json }

  private static var operand: Operand { Operand(name: "ID", meaning: "the \(noun)'s id, as '\(noun) list' shows it.") }

  static var list: Command {
    Command(
      name: "\(noun) list", summary: "List the \(plural).", options: [.json],
      action: .installation { here, arguments in
        let all = try await all(of: here)
        if arguments.has(.json) {
          var entries: [JSONValue] = []
          for one in all { entries.append(try await one.entry.json(of: here)) }
          return .json(.array(entries))
        }
        let rows = all.map {
          ["\($0.entry.id)", $0.entry.name, $0.entry.isDisabled ? "disabled" : "active"] + $0.texts
        }
        return CommandResult(
          output: rows.isEmpty
            ? "There are no \(plural) yet." : TextTable.lines([["ID", "NAME", "STATE"] + columns] + rows))
      })
  }

  static var show: Command {
    Command(
      name: "\(noun) show", summary: "Show one \(noun) as JSON.", operand: operand, options: [.json],
      action: .installation { here, arguments in
        let id = try id(of: arguments)
        guard let entry = try await here.store.read({ try Self.entry(id, in: $0) }) else {
          throw Refusal(.notFound, "There is no \(noun) called \(id).")
        }
        return .json(try await entry.json(of: here))
      })
  }

  /// A command that changes one entry and says that it was done, and what goes on nevertheless; `delete` wants to be told
  /// that it is meant.
  static func change(
    _ verb: String, _ summary: String, remains: String? = nil,
    _ work: @escaping @Sendable (Installation, ID) async throws -> Void
  ) -> Command {
    let isFinal = verb == "delete"
    return Command(
      name: "\(noun) \(verb)", summary: summary, operand: operand, options: isFinal ? [.yes, .json] : [.json],
      action: .installation { here, arguments in
        let id = try id(of: arguments)
        if isFinal, !arguments.has(.yes) {
          throw UsageFailure("Deleting \(id) cannot be undone. Add --yes if it is meant.")
        }
        try await work(here, id)
        if arguments.has(.json) { return .json(["id": .string("\(id)"), "done": .string(verb)]) }
        return CommandResult(output: "\(id): \(verb)d" + (remains.map { "\n\($0)" } ?? ""))
      })
  }

  /// A command that changes one entry and answers with JSON.
  static func request(
    _ verb: String, _ summary: String, options: [Option] = [],
    _ work: @escaping @Sendable (Installation, ID, Arguments) async throws -> JSONValue
  ) -> Command {
    Command(
      name: "\(noun) \(verb)", summary: summary, operand: operand, options: options + [.json],
      action: .installation { here, arguments in .json(try await work(here, try id(of: arguments), arguments)) })
  }

  private static func id(of arguments: Arguments) throws(UsageFailure) -> ID {
    guard let id = ID(arguments.operand) else {
      let article = noun.hasPrefix("a") ? "an" : "a"
      throw UsageFailure("\"\(arguments.operand)\" is not the id of \(article) \(noun): \(idRule).")
    }
    return id
  }
}

extension String {
  /// How lists write a moment in UTC, or that there was none.
  static func moment(_ moment: Timestamp?) -> String { moment.map { PageContext.isoTime($0.seconds) } ?? "never" }
}

extension CommandResult {
  static func json(_ value: JSONValue) -> CommandResult {
    CommandResult(output: String(decoding: value.encoded(layout: .pretty), as: UTF8.self))
  }
}
