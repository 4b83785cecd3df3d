import Domain
import Flows
import HTTP
import JSON
import Storage

/// `gatehouse connection edit`.
enum EditConnectionCommand {
  private typealias Given = ConnectionCommand

  /// What the credentials of people rest on.
  private static let fixed = [Given.kind, Given.portal, Given.address, Given.issuer, Given.clientID].map {
    Option($0.name, $0.value ?? "", "Cannot be changed, since what people connected rests on it.")
  }
  private static let without = Option(
    "--without", "OPTION",
    "Take back what was given before: \(takenBack.joined(separator: ", ")).", .repeatable)

  /// The options that can be taken back, without their hyphens.
  private static let takenBack =
    ([Given.scopes, Given.networks, Given.allowHTTP, Given.admission] + PortalOptionArguments.all).map {
      String($0.name.dropFirst(2))
    }

  static let command = Command(
    name: "connection edit",
    summary: "Change what a connection was made with: options and whole lists replace, the rest stays.",
    operand: Operand(name: "ID", meaning: Connection.idRule),
    options: [
      Given.name, Given.secretFile, Given.resources, Given.hosts, Given.scopes, Given.networks, Given.allowHTTP,
      Given.admission, Given.admitted,
    ] + PortalOptionArguments.all + [without] + fixed + [.json],
    action: .installation { here, arguments in
      guard let id = ConnectionID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not a connection's id: \(Connection.idRule).")
      }
      if let given = fixed.first(where: arguments.has) {
        throw UsageFailure(
          "\(given.name) cannot be changed: what people connected rests on it. Make another connection, allow it to the "
            + "clients, and delete this one when nobody needs it any more.")
      }
      guard let before = try await here.store.read({ try $0.connection(id) }) else {
        throw Refusal(.notFound, "There is no connection called \(id).")
      }
      let draft = try draft(arguments, changing: before)
      let secret = try arguments.value(of: Given.secretFile).map(Files.readPassword)
      let connection = try await EditConnection(here)(id, clientSecret: secret, by: nil, .commandLine) { $0 = draft }
      let isChanged = connection != before || secret != nil
      var answer =
        arguments.has(.json)
        ? CommandResult.json(connection.json) : CommandResult(output: "\(id): \(isChanged ? "changed" : "as before")")
      let overlapping = try await here.connectionEntry(id).overlapping.map(\.id.text)
      answer.errors = ConnectionCommand.warnings(connection, overlapping).joined(separator: "\n")
      return answer
    })

  private static func draft(_ arguments: Arguments, changing before: Connection) throws -> Connection {
    let kind = before.kind
    let people = kind.connectsInBrowser ? [] : [Given.admission, Given.admitted]
    let scoped = kind == .oidc ? [] : [Given.scopes]
    let secret = kind.connectsInBrowser ? [] : [Given.secretFile]
    if let given = (people + scoped + secret).first(where: arguments.has) {
      throw UsageFailure("\(given.name) is not for the kind \(kind.rawValue), or cannot be changed there.")
    }
    var draft = before
    for name in arguments.values(of: without).map({ "--\($0)" }) { try reset(name, of: &draft) }
    draft.name = arguments.value(of: Given.name) ?? draft.name
    for (option, isOfHosts) in [(Given.resources, false), (Given.hosts, true)] where arguments.has(option) {
      let patterns = try arguments.values(
        of: option, "a URL prefix or a host pattern such as *.example.com", ResourcePattern.init)
      let others = draft.resources.filter { $0.isOfHosts != isOfHosts && !patterns.contains($0) }
      draft.resources = isOfHosts ? others + patterns : patterns + others
    }
    if arguments.has(Given.scopes) { draft.scopes = arguments.values(of: Given.scopes) }
    if arguments.has(Given.networks) {
      draft.reach.networks = try arguments.values(
        of: Given.networks, "a network such as 10.20.0.0/16", AddressRange.init
      ).map(\.description)
    }
    if arguments.has(Given.allowHTTP) { draft.reach.allowsHTTP = true }
    let admissions = try arguments.values(
      of: Given.admission, Spelling.list(Admission.allCases.map(\.rawValue)), Admission.init(rawValue:))
    draft.admission = admissions.first ?? draft.admission
    if arguments.has(Given.admitted) {
      guard draft.admission == .listed else {
        throw UsageFailure("\(Given.admitted.name) goes with \(Given.admission.name) \(Admission.listed.rawValue).")
      }
      draft.admitted = arguments.values(of: Given.admitted)
    }
    draft.portal = try PortalOptionArguments.read(arguments, kind, changing: draft.portal)
    return draft
  }

  private static func reset(_ name: String, of draft: inout Connection) throws(UsageFailure) {
    switch name {
    case Given.scopes.name: draft.scopes = []
    case Given.networks.name: draft.reach.networks = []
    case Given.allowHTTP.name: draft.reach.allowsHTTP = false
    case Given.admission.name: (draft.admission, draft.admitted) = (.invited, [])
    default:
      guard PortalOptionArguments.reset(name, of: &draft.portal) else {
        throw UsageFailure(
          "\(name.dropFirst(2)) is nothing that --without takes back, as it does \(takenBack.joined(separator: ", ")).")
      }
    }
  }
}
