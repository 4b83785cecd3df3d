import Domain
import Flows
import JSON

/// `gatehouse client look`.
enum ClientLookArguments {
  private static let accent = Option(
    "--accent", "COLOUR", "The colour of buttons and links, such as #1f4e79; made darker or lighter where it must be.")
  private static let logo = Option("--logo", "FILE", "A PNG image of 32 KiB at most.")
  private static let noAccent = Option(switch: "--no-accent", "The colour of the organisation, as at first.")
  private static let noLogo = Option(switch: "--no-logo", "No logo, as at first.")

  static let command = Command(
    name: "client look",
    summary: "Give the pages to which a client sends people, sign-in and consent, a colour and a logo of its own.",
    operand: Operand(name: "ID", meaning: Client.idRule), options: [accent, noAccent, logo, noLogo, .json],
    action: .installation { here, arguments in
      guard let id = ClientID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not a client's id: \(Client.idRule).")
      }
      let colour = try part(arguments.value(of: accent), arguments.has(noAccent), "--accent or --no-accent")
      let image = try part(
        try arguments.value(of: logo).map { try Files.read($0) }, arguments.has(noLogo), "--logo or --no-logo")
      if case .keep = colour, case .keep = image {
        throw UsageFailure("Give --accent or --no-accent, --logo or --no-logo.")
      }
      do {
        let look = try await ChangeClientLook(here)(id, accent: colour, logo: image, by: nil, .commandLine)
        if arguments.has(.json) {
          return .json([
            "client_id": .string(id.text), "accent": look.accent.map { .string($0) } ?? .null,
            "has_logo": .bool(look.logo != nil),
          ])
        }
        let words = [look.accent.map { "the colour \($0)" }, look.logo.map { _ in "a logo" }].compactMap(\.self)
        return CommandResult(
          output: "\(id): \(words.isEmpty ? "looks like the organisation" : words.joined(separator: " and "))")
      } catch let objections as ChangeClientLook.Objections {
        throw Refusal(.invalidRequest, objections.list.map(\.text).joined(separator: " "))
      }
    })

  private static func part<Value>(
    _ value: Value?, _ isRemoved: Bool, _ names: String
  ) throws(UsageFailure) -> ChangeClientLook.Part<Value> {
    guard value == nil || !isRemoved else { throw UsageFailure("Give \(names), not both.") }
    return value.map { .set($0) } ?? (isRemoved ? .remove : .keep)
  }
}
