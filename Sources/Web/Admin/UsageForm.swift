import Domain
import Flows
import HTTP
import Pages
import Storage

/// What an administrator wants to see of the usage, as the address of the page says it.
struct UsageForm: Sendable {
  /// In days.
  static let ranges: [Int64] = [7, 30, 90, 365]

  private(set) var page = PageForm()
  private(set) var question = UsageQuestion()
  private(set) var filter: UsageFilter

  init(_ posted: Form, _ here: Installation) async throws {
    func text(_ name: String) -> String { (posted[name] ?? "").trimmed }
    filter = UsageFilter(days: here.lastDays(question.dayCount))
    page.fill("by", with: text("by"))
    page.fill("days", with: text("days"))
    for field in UsageQuestion.Field.allCases {
      page.fill(field.rawValue, with: text(field.rawValue))
      if !text(field.rawValue).isEmpty { question.texts[field] = text(field.rawValue) }
    }
    if let chosen = UsageDimension(rawValue: text("by")) {
      question.dimension = chosen
    } else if !text("by").isEmpty {
      page.refuse("by", "Choose one of the list.")
    }
    if let chosen = Int64(text("days")), Self.ranges.contains(chosen) {
      question.dayCount = chosen
    } else if !text("days").isEmpty {
      page.refuse("days", "Choose one of the list.")
    }
    let (found, unknown) = try await here.filter(of: question)
    filter = found
    for field in unknown { page.refuse(field.rawValue, Words(field.objection)) }
  }

  /// Whether anything is narrowed.
  var isNarrowed: Bool { !question.texts.isEmpty }

  /// What leads to the same figures, or to those that `changes` make of them.
  func query(_ changes: [UsageQuestion.Field: String] = [:], by dimension: UsageDimension? = nil) -> QueryItems {
    var items: QueryItems = ["by": (dimension ?? question.dimension).rawValue, "days": "\(question.dayCount)"]
    let texts = question.texts.merging(changes) { _, new in new }
    for field in UsageQuestion.Field.allCases { items.append(field.rawValue, texts[field]) }
    return items
  }

  var slots: PageContext.Object {
    page.slots.merging([
      "dimensions": .list(
        UsageDimension.allCases.map {
          .object([
            "value": .text($0.rawValue), "label": .text($0.label.capitalizedFirst),
            "chosen": .flag($0 == question.dimension),
          ])
        }),
      "ranges": .list(
        Self.ranges.map {
          .object([
            "value": .text("\($0)"), "label": .text("\($0) days"), "chosen": .flag($0 == question.dayCount),
          ])
        }),
      "narrowed": .flag(isNarrowed),
    ])
  }
}

extension UsageQuestion.Field {
  fileprivate var objection: String {
    switch self {
    case .client: "No client has this name or id."
    case .key: "No API key has this name or id."
    case .connection: "No connection has this name or id."
    case .account: "No account has this name, user name or id."
    case .resource: "Enter the beginning of an address, such as https://maps.example.org/server."
    }
  }
}

extension UsageDimension {
  /// As it stands in a sentence.
  var label: String {
    switch self {
    case .client: "client"
    case .key: "API key"
    case .connection: "connection"
    case .resource: "resource"
    case .account: "charged account"
    }
  }

  /// The field that narrows to one of what it tells apart.
  var field: UsageQuestion.Field {
    switch self {
    case .client: .client
    case .key: .key
    case .connection: .connection
    case .resource: .resource
    case .account: .account
    }
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
