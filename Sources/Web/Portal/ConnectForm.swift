import Domain
import Flows
import HTTP
import Pages

/// The form of a service that is connected by one: user name and password (`token`, `password`), a token
/// (`pregeneratedToken`), or a certificate file.
struct ConnectForm: Sendable {
  private(set) var page = PageForm()
  private(set) var status: Status = .ok
  /// Seconds before another try makes sense.
  private(set) var retryAfter: Int64?
  private let replacement: CompleteSignIn.Replacement?
  /// Whether the server names authorities that have not issued the certificate.
  private var isOtherAuthority = false

  /// The form before anything was typed.
  init() {
    replacement = nil
    fill(Form([]))
  }

  /// The form again, with what is wrong; password and token never go back.
  private init(_ posted: Form, _ replacement: CompleteSignIn.Replacement? = nil) {
    self.replacement = replacement
    status = 422
    fill(posted)
  }

  private mutating func fill(_ posted: Form) {
    for name in ["username", "expires", "referer"] { page.fill(name, with: posted[name] ?? "") }
    for name in ["password", "token", "replace", "file", "passphrase", "keytab"] { page.fill(name) }
    page.choose("any_authority", from: ["on"])
    KeepingField.fill(&page, posted)
    page.choose("keep", from: ["on"], chosen: posted["keep"] == "1" ? ["on"] : [])
  }

  /// What was typed, byte for byte, or what is wrong with it.
  static func read(
    _ posted: Form, _ files: [String: [UInt8]], _ connection: Connection, at now: Timestamp
  ) -> (typed: TypedCredential?, objections: [(field: String, text: String)]) {
    if connection.kind == .certificate {
      let certificate = TypedCertificate(
        file: Secret(files["file"] ?? []), passphrase: Secret(posted["passphrase"] ?? ""),
        isForAnyAuthority: posted["any_authority"] == "1")
      return (certificate.objections.isEmpty ? .certificate(certificate) : nil, certificate.objections)
    }
    if connection.kind == .kerberos { return readPrincipal(posted, files) }
    guard connection.kind == .pregeneratedToken else {
      let login = TypedLogin(username: posted["username"] ?? "", password: Secret(posted["password"] ?? ""))
      let objections = login.objections + (connection.network?.scheme.map(login.objections(by:)) ?? [])
      return (objections.isEmpty ? .login(login, isKept: posted["keep"] == "1") : nil, objections)
    }
    let (token, objections) = readToken(posted, at: now) { $0.objections(at: now) }
    return (token.map(TypedCredential.token), objections)
  }

  /// A principal's password, or its keytab where a file was chosen.
  private static func readPrincipal(
    _ posted: Form, _ files: [String: [UInt8]]
  ) -> (typed: TypedCredential?, objections: [(field: String, text: String)]) {
    if let file = files["keytab"], !file.isEmpty {
      let keytab = TypedKeytab(principal: posted["username"] ?? "", content: Secret(file))
      return (keytab.objections.isEmpty ? .keytab(keytab) : nil, keytab.objections)
    }
    let login = TypedLogin(username: posted["username"] ?? "", password: Secret(posted["password"] ?? ""))
    let objections = login.principalObjections
    return (objections.isEmpty ? .login(login, isKept: true) : nil, objections)
  }

  /// A token with its end and referer, or what is wrong with it, by what `judge` finds and by how its end is written.
  static func readToken(
    _ posted: Form, at now: Timestamp, judge: (TypedToken) -> [(field: String, text: String)]
  ) -> (typed: TypedToken?, objections: [(field: String, text: String)]) {
    let expires = TypedToken.moment((posted["expires"] ?? "").trimmed)
    let token = TypedToken(
      token: Secret((posted["token"] ?? "").trimmed), expiresAt: expires ?? now + 1, referer: posted.nonEmpty("referer")
    )
    var objections = judge(token)
    if expires == nil { objections.append(("expires", "Enter a date and time such as 2026-12-31 14:30, in UTC.")) }
    return (objections.isEmpty ? token : nil, objections)
  }

  /// What was typed cannot be a login at all.
  init(
    _ posted: Form, objections: [(field: String, text: String)], _ keeping: (field: String, text: Words)?
  ) {
    self.init(posted)
    for objection in objections { page.refuse(objection.field, Words(objection.text)) }
    if let keeping { page.refuse(keeping.field, keeping.text) }
  }

  /// The account is known there as somebody else, so the person has to agree first.
  init(_ posted: Form, asking replacement: CompleteSignIn.Replacement) {
    self.init(posted, replacement)
    let again: Words =
      switch replacement.connection.kind {
      case .pregeneratedToken: "Tick the box and enter the token again to go on as \(replacement.offered)."
      case .certificate: "Tick the box and choose the file again to go on as \(replacement.offered)."
      default: "Tick the box and enter the password again to go on as \(replacement.offered)."
      }
    page.refuse("replace", "You were connected as \(replacement.before) before. \(again)")
  }

  /// Too many wrong passwords were typed.
  init(_ posted: Form, waiting pause: LockoutGuard.Pause, at connection: Connection) {
    self.init(posted)
    status = 429
    retryAfter = pause.seconds
    let wait = Words.counting((pause.seconds + 59) / 60, "minute")
    switch pause.cause {
    case .username:
      let locks: Words =
        connection.kind.isNetwork
        ? "\(connection.name) may lock an account after a few more" : "\(connection.name) locks an account after five"
      page.refuse(
        "password",
        "Too many wrong passwords were typed for this user name. \(locks), so wait \(wait) before the next try.")
    case .account:
      page.refuse(
        "password",
        "You have typed \(LockoutGuard.triesOverAllNames) wrong passwords within a quarter of an hour. Nothing was sent: "
          + "wait \(wait) before the next try.")
    }
  }

  init(_ posted: Form, _ failure: ConnectFailure, at connection: Connection) {
    self.init(posted)
    let (field, text) = failure.words(at: connection)
    page.refuse(field, text)
    if case .certificate(.otherAuthority) = failure { isOtherAuthority = true }
    if case .upstream(let failure) = failure { status = failure.mayPass ? .serviceUnavailable : .badGateway }
  }

  /// What the form needs beside what every page of connecting has.
  func slots(_ connection: Connection) -> PageContext.Object {
    page.slots.merging(KeepingField.slots(connection)).merging([
      "address": .text(connection.origin), "lifetime": .words(.counting(connection.portal.tokenMinutes, "minute")),
      "offered": .text(ifAny: replacement?.offered), "before": .text(ifAny: replacement?.before),
      "mark": .text(ifAny: replacement?.mark), "realm": .text(ifAny: connection.network?.realm),
      "scheme": .text(connection.network?.scheme?.name ?? ""),
      "kerberos_realm": .text(connection.network?.kerberos?.realm ?? ""),
      "windows": .flag(connection.network?.scheme == .ntlm), "other_authority": .flag(isOtherAuthority),
    ])
  }
}

extension ConnectFailure {
  /// What the person reads, and at which field; the upstream's own words stay in the log.
  func words(at connection: Connection) -> (field: String, text: Words) {
    let name = connection.name
    if connection.kind.isNetwork, let words = networkWords(at: connection) { return words }
    return switch self {
    case .certificate(let problem): problem.words(at: connection)
    case .kerberos(let problem): problem.words(at: name)
    case .wrongPassword:
      (
        "password",
        "\(name) does not accept this user name and password. An account that signs in through an organisation or with a "
          + "second step needs a connection with OAuth sign-in."
      )
    case .accountLocked:
      ("password", "\(name) has locked this account after too many wrong passwords. Wait 15 minutes, then try again.")
    case .needsOAuth:
      (
        "username",
        "\(name) gives this account no token for a password: it signs in elsewhere or with a second step. Use OAuth: ask "
          + "an administrator for a connection with OAuth sign-in."
      )
    case .freshTokenRefused where connection.kind == .pregeneratedToken:
      (
        "token",
        "\(name) does not accept this token: it has ended or is not whole, or the referer is not the one that it was "
          + "made for."
      )
    case .freshTokenRefused:
      (
        "",
        "\(name) accepted the password and then refused the token that it gave. Another try would not help: its clock may "
          + "be wrong, or it sees another referer or address than the token is bound to. Tell an administrator: the log "
          + "says why."
      )
    case .unproven(let status): ("", "\(name) answered \(status). Tell an administrator: the log says why.")
    case .layerMissing(let layer):
      ("", "\(name) stands behind \(layer): connect that first in your account, then this one.")
    case .upstream(.invalidAnswer):
      (
        "",
        "\(name) answered with a page instead of a token: the address may be wrong, or another sign-in may stand in front "
          + "of it. Tell an administrator."
      )
    case .upstream(.transient), .upstream(.ambiguous):
      ("", "\(name) does not answer at the moment. Try again in a few minutes.")
    case .upstream(.misconfigured), .upstream(.refused):
      ("", "\(name) does not accept Gatehouse. Tell an administrator: the log says why.")
    }
  }
}

extension ConnectFailure {
  /// The same where the credential opens a network; `nil` for what reads alike.
  fileprivate func networkWords(at connection: Connection) -> (field: String, text: Words)? {
    let name = connection.name
    return switch self {
    case .wrongPassword where connection.kind == .kerberos:
      (
        "password",
        "The realm does not accept this user name with this password or keytab. It was asked once; after a few wrong ones "
          + "it may lock the account."
      )
    case .accountLocked:
      ("username", "The realm has locked this account. Ask its administrator.")
    case .upstream(.transient), .upstream(.ambiguous):
      ("", "\(name), or what it needs to sign you in, does not answer at the moment. Try again in a few minutes.")
    case .wrongPassword:
      (
        "password",
        "\(name) does not accept this user name and password. It was asked once; after a few wrong ones it may lock the "
          + "account."
      )
    case .unproven(let status):
      (
        "",
        "\(name) answered \(status), which says neither that the password is right nor that it is wrong, so nothing was kept. "
          + "Perhaps this account may not open the address: tell an administrator."
      )
    case .upstream(.misconfigured) where connection.kind == .password:
      (
        "",
        "\(name) asks for a password in another way than it did, or in one that would show it to others. Nothing was sent. "
          + "Tell an administrator: the log says why."
      )
    case .upstream(.invalidAnswer):
      ("", "\(name) did not answer as a web server does. Tell an administrator: the log says why.")
    default: nil
    }
  }
}

extension KerberosProblem {
  /// What the person reads, and at which field.
  fileprivate func words(at name: String) -> (field: String, text: Words) {
    switch self {
    case .unknownPrincipal: ("username", "The realm does not know this user name.")
    case .expired: ("password", "The password has expired. Change it where your organisation says, then come back.")
    case .clockSkew:
      (
        "",
        "The clocks of Gatehouse and of the realm differ too much for Kerberos. Nothing is wrong with your password: tell "
          + "an administrator."
      )
    case .invalidKeytab: ("keytab", "The file is no keytab, or it holds no key of this user name.")
    case .ticketRefused:
      (
        "",
        "The realm accepted the password or keytab, and \(name) refused the ticket. Another try would not help: tell an "
          + "administrator, the log says why."
      )
    }
  }
}

extension AuthenticationOffer.Scheme {
  /// As people know it.
  var name: String {
    switch self {
    case .negotiate: "Kerberos"
    case .ntlm: "Windows (NTLM)"
    case .digest: "HTTP Digest"
    case .basic: "HTTP Basic"
    }
  }
}
