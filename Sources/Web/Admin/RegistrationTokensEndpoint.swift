import Domain
import Flows
import HTTP
import Pages

/// The tokens with which apps register themselves: makes them, shows each once, and revokes them.
struct RegistrationTokensEndpoint: Sendable {
  static let path = "/admin/registration"
  private static let purpose = "registration token"

  private let admin: AdminDesk
  private let tokens: RegistrationTokens

  init(_ admin: AdminDesk) {
    self.admin = admin
    tokens = RegistrationTokens(admin.here)
  }

  func get(_ call: AdminCall) async throws -> Response {
    try await page(Self.form(Form([("token_uses", "1"), ("token_days", "7")])), call)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    var form = Self.form(posted)
    let name = (posted["token_name"] ?? "").trimmed
    if !DisplayName.isPlain(name) {
      form.refuse("token_name", "Give the token a name of 1 to 100 bytes, without line breaks.")
    }
    let uses = Self.number("token_uses", RegistrationToken.longestUses, posted, &form)
    let days = Self.number("token_days", RegistrationToken.days, posted, &form)
    guard let uses, let days, !form.isRefused else { return try await page(form, call, status: 422) }
    let text = try await tokens.create(name, uses: uses, days: days, by: call.id, call.visitor).text
    let query: QueryItems = ["ticket": admin.here.keep(text, for: call.id, Self.purpose).revealedText]
    return try admin.desk.redirect(to: query.appended(to: Self.path))
  }

  func revoke(_ call: AdminCall) async throws -> Response {
    guard let id = call.call.segments["token"].flatMap(RegistrationTokenID.init) else {
      throw Refusal(.notFound, "There is no registration token of this id.")
    }
    try await tokens.revoke(id, by: call.id, call.visitor)
    return try admin.desk.redirect(to: Self.path)
  }

  private func page(_ form: PageForm, _ call: AdminCall, status: Status = .ok) async throws -> Response {
    let (mode, now) = (admin.here.registration.mode, admin.here.clock.now())
    let new = try call.onceOnlyTicket().flatMap { admin.here.take($0, for: call.id, Self.purpose) }
    let slots: PageContext.Object = [
      "is_off": .flag(mode == .off), "is_open": .flag(mode == .open),
      "endpoint": .text("\(admin.here.issuer)\(RegistrationEndpoint.path)"),
      "new_token": .text(ifAny: new?.revealedText),
      "tokens": .list(try await tokens.list().map { .object($0.slots(at: now)) }),
    ]
    return try admin.render(.adminRegistration, form.slots.merging(slots), call, status: status)
  }

  private static func form(_ posted: Form) -> PageForm {
    var form = PageForm()
    for name in ["token_name", "token_uses", "token_days"] { form.fill(name, with: posted[name] ?? "") }
    return form
  }

  private static func number(
    _ name: String, _ range: ClosedRange<Int64>, _ posted: Form, _ form: inout PageForm
  ) -> Int64? {
    if let number = Int64((posted[name] ?? "").trimmed), range.contains(number) { return number }
    form.refuse(name, "Enter a whole number from \(range.lowerBound) to \(range.upperBound).")
    return nil
  }
}

extension RegistrationToken {
  fileprivate func slots(at now: Timestamp) -> PageContext.Object {
    [
      "id": .text(id.text), "name": .text(name), "used": .text("\(used) of \(uses)"),
      "made": .time(createdAt.seconds), "ends": .time(expiresAt.seconds), "spent": .flag(!isLive(at: now)),
    ]
  }
}
