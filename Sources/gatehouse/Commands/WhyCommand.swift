import Domain
import Flows
import JSON

/// `gatehouse why`.
enum WhyCommand {
  /// The exit code when the app would be refused.
  static let refused: Int32 = 2

  private static let client = Option("--client", "NAME", "The app: its name or id.")
  private static let key = Option(
    "--key", "NAME", "The API key that is shown, by its name or id and never its secret; in place of --client.")
  private static let method = Option(
    "--method", "METHOD", "With --key: how the proxy is asked to call the URL; without it, a token is asked for.")
  private static let from = Option("--from", "ADDRESS", "With --key: the IP address that it comes from.")
  private static let referrer = Option("--referrer", "URL", "With --key: the page that its field Referer names.")
  private static let user = Option(
    "--user", "NAME", "For whom: a name, user name or id; nobody for an app that acts for itself.")
  private static let url = Option(
    "--url", "URL", "What the app wants to call; nobody is asked for it, and nothing handed out.", .required)
  private static let minimumLifetime = Option(
    "--min-ttl", "SECONDS", "How long the token must still be good for, as the app asks it.")
  private static let unattendedFrom = Option(
    "--unattended-from", "ADDRESS", "For a job that runs at this IP address while the person is not there.")

  static let command = Command(
    name: "why",
    summary: "Say why an app would get something for a URL now, or not; the exit code is \(refused) if not.",
    options: [client, key, user, url, minimumLifetime, unattendedFrom, method, from, referrer, .json],
    action: .installation { here, arguments in
      let lifetimes = try arguments.values(
        of: minimumLifetime, "a number of seconds from 0 to \(VendRequest.maximumMinimumLifetime)"
      ) { text in Int64(text).flatMap { (0...VendRequest.maximumMinimumLifetime).contains($0) ? $0 : nil } }
      var question = ExplainVend.Question(
        client: arguments.value(of: client) ?? "", account: arguments.value(of: user) ?? "",
        url: try arguments.required(url), minimumLifetime: lifetimes.first ?? 0)
      question.unattendedFrom = arguments.value(of: unattendedFrom)
      question.byKey = try byKey(arguments)
      let explanation = try await ExplainVend(here)(question)
      var result: CommandResult =
        arguments.has(.json) ? .json(explanation.json) : CommandResult(output: explanation.text)
      result.exitCode = explanation.refusal == nil ? 0 : refused
      return result
    })

  private static func byKey(_ arguments: Arguments) throws(UsageFailure) -> ExplainVend.KeyQuestion? {
    guard let name = arguments.value(of: key) else {
      guard arguments.has(client) else { throw UsageFailure("--client or --key is missing.") }
      if let option = [method, from, referrer].first(where: arguments.has) {
        throw UsageFailure("\(option.name) is for --key alone.")
      }
      return nil
    }
    if let option = [client, user, unattendedFrom].first(where: arguments.has) {
      throw UsageFailure(
        "\(option.name) and --key exclude each other: a key belongs to its client, and acts for nobody.")
    }
    return ExplainVend.KeyQuestion(
      key: name, method: arguments.value(of: method), address: arguments.value(of: from),
      referrer: arguments.value(of: referrer))
  }
}

extension ExplainVend.Explanation {
  /// A sentence, and the steps below it; an arrow marks the one that decides.
  fileprivate var text: String {
    let rows = steps.enumerated().map { index, step in
      [index == steps.count - 1 ? "→" : " ", step.answer.rawValue, step.question.rawValue, step.finding]
    }
    return verdict + "\n\n" + TextTable.lines(rows)
  }

  private var verdict: String {
    guard let refusal else { return "Granted." }
    let reason = refusal.interaction.map { ", \($0.reason.rawValue)" } ?? ""
    return "Refused: \(refusal.code.rawValue)\(reason). \(refusal.description)"
  }

  fileprivate var json: JSONValue {
    [
      "granted": .bool(refusal == nil), "client_id": client.map { .string($0.id.text) } ?? .null,
      "key_id": key.map { .string($0.id.text) } ?? .null,
      "account_id": account.map { .string($0.id.text) } ?? .null,
      "error": refusal.map { .string($0.code.rawValue) } ?? .null,
      "error_description": refusal.map { .string($0.description) } ?? .null,
      "reason": refusal?.interaction.map { .string($0.reason.rawValue) } ?? .null,
      "steps": .array(
        steps.enumerated().map { index, step in
          [
            "question": .string(step.question.rawValue), "answer": .string(step.answer.rawValue),
            "finding": .string(step.finding), "decides": .bool(index == steps.count - 1),
          ]
        }),
    ]
  }
}
