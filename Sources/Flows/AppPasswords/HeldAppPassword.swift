import Domain

/// An app password as a person typed it into an app: `gh_ap_ID_SECRET_CHECKSUM`.
struct HeldAppPassword: Sendable {
  private static let beginning = "gh_ap_"

  let text: Secret
  let id: AppPasswordID

  /// A new one.
  init() {
    id = .random()
    text = IdentifiedSecret.new(Self.beginning, id.random).text
  }

  /// Takes what was presented; `nil` when it cannot be one, such as the password of an account.
  init?(_ text: String) {
    guard let held = IdentifiedSecret(text, Self.beginning),
      let id = AppPasswordID("\(AppPassword.idPrefix)_\(held.id)")
    else { return nil }
    (self.text, self.id) = (held.text, id)
  }
}
