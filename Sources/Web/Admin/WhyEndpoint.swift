import Domain
import Flows
import HTTP
import Pages

/// Why an app would get something for a URL now, or not.
struct WhyEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  private static let fields = [
    "client", "account", "key", "url", "min_ttl", "unattended_from", "method", "from", "referrer",
  ]

  func get(_ call: AdminCall) async throws -> Response {
    let query = try call.call.query()
    func text(_ name: String) -> String { (query[name] ?? "").trimmed }
    var form = PageForm()
    for name in Self.fields { form.fill(name, with: text(name)) }
    var slots: PageContext.Object = ["steps": [], "granted": false, "code": "", "reason": .none, "verdict": ""]
    // A link that names a key alone only fills it in.
    if !query.fields.isEmpty, !(query.fields.count == 1 && query["key"] != nil) {
      if text("client").isEmpty == text("key").isEmpty {
        form.refuse("client", "Enter the name or id of a client, or of an API key, and not of both.")
      }
      if text("url").isEmpty { form.refuse("url", "Enter the address that the app wants to call.") }
      let lifetime = Self.seconds(text("min_ttl"))
      if lifetime == nil {
        form.refuse("min_ttl", "Enter a number of seconds from 0 to \(VendRequest.maximumMinimumLifetime), or nothing.")
      }
      if !form.isRefused, let lifetime {
        var asked = ExplainVend.Question(
          client: text("client"), account: text("account"), url: text("url"), minimumLifetime: lifetime)
        asked.unattendedFrom = query.nonEmpty("unattended_from").map(\.trimmed)
        if !text("key").isEmpty {
          asked.byKey = ExplainVend.KeyQuestion(
            key: text("key"), method: query.nonEmpty("method")?.trimmed, address: query.nonEmpty("from")?.trimmed,
            referrer: query.nonEmpty("referrer")?.trimmed)
        }
        slots = slots.merging(try await explained(asked, &form))
      }
    }
    return try admin.render(.adminWhy, form.slots.merging(slots), call, status: form.isRefused ? 422 : .ok)
  }

  /// What decides it; where a name means several, the form says so.
  private func explained(_ asked: ExplainVend.Question, _ form: inout PageForm) async throws -> PageContext.Object {
    do {
      return try await ExplainVend(admin.here)(asked).slots
    } catch let refusal as Refusal where refusal.code == .invalidRequest {
      form.refuse("", Words(refusal.description))
      return [:]
    }
  }

  private static func seconds(_ text: String) -> Int64? {
    if text.isEmpty { return 0 }
    return Int64(text).flatMap { (0...VendRequest.maximumMinimumLifetime).contains($0) ? $0 : nil }
  }
}

extension ExplainVend.Explanation {
  fileprivate var slots: PageContext.Object {
    [
      "granted": .flag(refusal == nil), "code": .text(refusal?.code.rawValue ?? ""),
      "reason": .text(ifAny: refusal?.interaction?.reason.rawValue), "verdict": .text(refusal?.description ?? ""),
      "steps": .list(
        steps.enumerated().map { index, step in
          .object(
            PageContext.flags(step.answer).merging([
              "question": .text(step.question.words), "finding": .text(step.finding),
              "decides": .flag(index == steps.count - 1),
            ]))
        }),
    ]
  }
}

extension VendStep.Question {
  /// What is asked, in words for an administrator.
  fileprivate var words: String {
    switch self {
    case .client: "Client"
    case .grant: "Grant and scope"
    case .allowlist: "Where it comes from"
    case .url: "Address"
    case .person: "Account"
    case .connection: "Connection"
    case .permission: "Permission"
    case .key: "API key"
    case .pinned: "Unattended use"
    case .consent: "Consent"
    case .unattendedConsent: "Consent while away"
    case .layers: "Layers in front"
    case .credential: "Credential"
    case .upstream: "Upstream"
    case .limits: "Limits"
    case .outcome: "Outcome"
    }
  }
}
