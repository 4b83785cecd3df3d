import Pages

/// How the pages of this installation look, and what all of them name.
public struct Look: Sendable {
  /// Who runs it, as shown on every page; `nil` until somebody chooses a name.
  public let organisation: String?
  /// The paths of the style sheet and the logo below the external URL, with the hash of their content.
  public let stylePath: String
  public let logoPath: String
  /// The paths of the scripts for passkeys and for answers to apps, likewise.
  public var passkeyScriptPath = "/assets/passkeys.js"
  public var formPostScriptPath = "/assets/form-post.js"
  /// Whether the logo is the organisation's own and not ours.
  public var hasOwnLogo = false
  /// Where people find help, and what becomes of what is known of them.
  public var helpURL: String?
  public var privacyURL: String?

  public init(organisation: String?, stylePath: String, logoPath: String) {
    self.organisation = organisation
    self.stylePath = stylePath
    self.logoPath = logoPath
  }

  /// On pages to which no client sends people, or one that looks like the organisation.
  static let noClient: PageContext.Object = ["client_style": .none, "client_logo": .none]

  func slots(basePath: String) -> PageContext.Object {
    Self.noClient.merging([
      "base": .url(basePath), "style": .url(basePath + stylePath), "logo": .url(basePath + logoPath),
      "passkey_script": .url(basePath + passkeyScriptPath), "form_post_script": .url(basePath + formPostScriptPath),
      "own_logo": .flag(hasOwnLogo),
      "organisation": .text(organisation ?? "Gatehouse"),
      "is_named": .flag(organisation != nil), "help_url": helpURL.map(PageContext.url) ?? .none,
      "privacy_url": privacyURL.map(PageContext.url) ?? .none,
    ])
  }
}
