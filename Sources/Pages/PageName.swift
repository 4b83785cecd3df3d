/// A page of `Public/pages`: the name of its file, without `.html`.
///
/// Each lists the slots its page needs. A value is one of: *text* (a name or ``Words``), *link* (``PageContext/url(_:)``), *flag*,
/// *list*, *time* (``PageContext/time(_:)``), *choice* of an enum (``PageContext/choice(_:)``). “or none” means
/// ``PageContext/none``; it must be given all the same. A slot inside a list is looked up in the item first.
///
/// Every page:
///
/// - `base`: link: the path of the external URL, empty or like `/gate`, no slash at the end
/// - `style`, `logo`, `passkey_script`, `form_post_script`: link: the hashed addresses of `assets/style.css`,
///   `assets/logo.svg`, `assets/passkeys.js` and `assets/form-post.js`, with `base`
/// - `lang`, `dir`: text: the language's tag, and `ltr` or `rtl`; the library knows them
/// - `own_logo`: flag: the logo is the organisation's own
/// - `organisation`: text: who runs this installation
/// - `is_named`: flag: whether that is a name somebody chose
/// - `help_url`, `privacy_url`: link or none
/// - `client_style`, `client_logo`: link or none: the colour and the logo of the app that sent the person there
///
/// Pages with a form, and every page of account and administration:
///
/// - `csrf`: text: sent back as the field `csrf`
/// - `ticket`: text, where listed: names the flow to go on with; sent back as the field or parameter `ticket`; may be
///   empty
/// - `errors`: list of `field` and `text`: the summary (``PageForm``)
/// - `field.NAME`: `value` (text) and `error` (text or none); for choices a flag for each option (``PageForm``)
///
/// A certificate: `subject`, `issuer`, `fingerprint`, `public_key` (text), `from`, `until` (time).
///
/// Every page of account and administration: `account_name` (text); those of the account also `is_administrator`
/// (flag), those of the administration `person_name` (text or none: who is signed in as a person in this browser).
public struct PageName: Sendable, Hashable {
  let file: String

  init(_ file: String) { self.file = file }

  /// Every page there is.
  static let all: [PageName] = forPeople + administration

  /// The pages that everybody meets; they speak their reader's language.
  static let forPeople: [PageName] = portal + security + connecting

  var isForPeople: Bool { !file.hasPrefix("admin-") }
}
