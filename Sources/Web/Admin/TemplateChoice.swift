import Domain
import Flows
import HTTP
import Pages

/// The first step of a new connection to a known provider: which template, and what stands in its placeholders.
struct TemplateChoice: Sendable {
  /// Before a placeholder's name in a field's name.
  private static let prefix = "set_"

  private let all: [ProviderTemplate]
  let chosen: ProviderTemplate?
  private let values: [String: String]

  /// Reads `template` and `set_…` from a query or from the form that carries them on.
  init(_ templates: ProviderTemplates, _ form: Form) {
    all = templates.all
    let chosen = form.nonEmpty("template").flatMap { templates[$0] }
    self.chosen = chosen
    values = Dictionary(
      (chosen?.placeholders ?? []).map { ($0.name, (form[Self.prefix + $0.name] ?? $0.standard ?? "").trimmed) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The fields of the form as the template has them; `nil` when none is chosen.
  var fields: Form? {
    guard let template = chosen?.filled(with: values) else { return nil }
    let own: [(String, String)] = [
      ("kind", Connection.Kind.oidc.rawValue), ("admission", Admission.invited.rawValue),
      ("name", template.isForAny ? "" : template.name), ("issuer", template.issuer ?? ""),
      ("scopes", template.scopes.joined(separator: " ")), ("resources", template.resources.joined(separator: "\n")),
    ]
    return Form(own + ProviderFields.fields(of: template.options))
  }

  var slots: PageContext.Object {
    let options = all.map { template -> PageContext in
      ["id": .text(template.id), "name": .text(template.name), "chosen": .flag(template.id == chosen?.id)]
    }
    let asked = (chosen?.placeholders ?? []).map { one -> PageContext in
      [
        "label": .text(one.name.prefix(1).uppercased() + one.name.dropFirst()), "field": .text(Self.prefix + one.name),
        "meaning": .text(one.meaning), "value": .text(values[one.name] ?? ""),
      ]
    }
    let template = chosen.map { template -> PageContext in
      [
        "id": .text(template.id), "name": .text(template.name), "registration": .text(template.registration),
        "documentation": .url(template.documentation), "placeholders": .list(asked),
      ]
    }
    return ["templates": .list(options), "template": template ?? .none]
  }
}
