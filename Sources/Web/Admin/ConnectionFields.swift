import Domain
import HTTP
import Pages

/// The fields that the forms for a new connection and for one that is there have in common; what cannot be read is refused
/// at its field.
extension PageForm {
  mutating func fillConnectionFields(_ posted: Form) {
    func chosen(_ name: String) -> Set<String> { Set(posted.nonEmpty(name).map { [$0] } ?? []) }
    let texts = [
      "name", "resources", "admitted", "refresh_token_lifetime", "exchange_interval", "federated_minutes",
      "token_minutes", "locale", "networks", "scopes",
    ]
    for name in texts { fill(name, with: posted[name] ?? "") }
    fill("client_secret")
    choose("admission", from: Admission.allCases.map(\.rawValue), chosen: chosen("admission"))
    choose("page_style", from: ["light", "dark"], chosen: chosen("page_style"))
    for name in ["allow_http", "force_login"] { choose(name, from: ["on"], chosen: posted[name] == "1" ? ["on"] : []) }
  }

  mutating func resources(
    _ posted: Form, of kind: Connection.Kind, allowsEveryHost: Bool
  ) -> [ResourcePattern] {
    (posted["resources"] ?? "").filledLines.compactMap { line in
      if let pattern = ResourcePattern(line, allowsEveryHost: kind == .iap && allowsEveryHost) { return pattern }
      if line == "*", kind == .iap {
        refuse("resources", "* would send the token to every host: name the hosts, or say below that it is meant.")
        return nil
      }
      refuse("resources", "\(line) is neither a URL prefix nor a host pattern such as *.example.com.")
      return nil
    }
  }

  mutating func reach(_ posted: Form, into draft: inout Connection) {
    draft.reach.networks = (posted["networks"] ?? "").filledLines.filter { line in
      if AddressRange(line) != nil { return true }
      refuse("networks", "\(line) is no network such as 10.20.0.0/16.")
      return false
    }
    draft.reach.allowsHTTP = posted["allow_http"] == "1"
  }

  mutating func admission(_ posted: Form, into draft: inout Connection) {
    if let admission = Admission(rawValue: (posted["admission"] ?? "").trimmed) {
      draft.admission = admission
    } else {
      refuse("admission", "Choose who may get an account.")
    }
    draft.admitted = (posted["admitted"] ?? "").filledLines
  }

  /// The options that count for `kind`.
  mutating func portalOptions(_ posted: Form, of kind: Connection.Kind) -> PortalOptions {
    var options = PortalOptions()
    if let minutes = number("federated_minutes", posted) { options.federatedTokenMinutes = minutes }
    guard kind == .oauthUser else {
      if kind != .pregeneratedToken, let minutes = number("token_minutes", posted) { options.tokenMinutes = minutes }
      return options
    }
    options.refreshTokenMinutes = number("refresh_token_lifetime", posted)
    if let hours = number("exchange_interval", posted) { options.exchangeBelowSeconds = hours * 3600 }
    options.locale = posted.nonEmpty("locale").map(\.trimmed)
    switch posted["page_style"] {
    case nil, "": break
    case "light", "dark": options.style = posted["page_style"]
    default: refuse("page_style", "Choose light, dark or neither.")
    }
    options.forcesLogin = posted["force_login"] == "1"
    return options
  }

  /// A whole number small enough to calculate with, or `nil` for an empty field.
  mutating func number(_ name: String, _ posted: Form) -> Int64? {
    guard let typed = posted.nonEmpty(name)?.trimmed, !typed.isEmpty else { return nil }
    if let number = Int64(typed), (-1...1_000_000_000).contains(number) { return number }
    refuse(name, "Enter a whole number, or leave it empty.")
    return nil
  }
}
