import Domain

/// An API key as an app holds it: `gh_sk_ID_SECRET_CHECKSUM`, or `gh_pk_…` for a publishable one.
struct HeldAPIKey: Sendable {
  let text: Secret
  let id: APIKeyID

  /// A new secret of the key `id`.
  static func new(_ id: APIKeyID, _ kind: ClientAPIKey.Kind) -> HeldAPIKey {
    HeldAPIKey(text: IdentifiedSecret.new(kind.beginning, id.random).text, id: id)
  }

  private init(text: Secret, id: APIKeyID) {
    self.text = text
    self.id = id
  }

  /// Takes what was presented; `nil` when it cannot be one, or a character of it was changed.
  init?(_ text: String) {
    guard let kind = ClientAPIKey.Kind.allCases.first(where: { text.hasPrefix($0.beginning) }),
      let held = IdentifiedSecret(text, kind.beginning), let id = APIKeyID("\(ClientAPIKey.idPrefix)_\(held.id)")
    else { return nil }
    self.init(text: held.text, id: id)
  }

  /// Whether `text` begins like one.
  static func isMeant(by text: some StringProtocol) -> Bool {
    ClientAPIKey.Kind.allCases.contains { text.utf8.starts(with: $0.beginning.utf8) }
  }
}

extension ClientAPIKey.Kind {
  /// What every key of the kind begins with.
  fileprivate var beginning: String {
    switch self {
    case .secret: "gh_sk_"
    case .publishable: "gh_pk_"
    }
  }
}
