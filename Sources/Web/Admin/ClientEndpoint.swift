import Domain
import Flows
import HTTP
import JSON
import Pages
import Storage

/// One client: its registration and secrets, and the ways to stop it.
struct ClientEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response { try await page(Confirmation().form, call) }

  /// The fields of the page as they are for somebody who typed `accent` into one.
  static func form(accent: String?) -> PageForm {
    var form = Confirmation().form
    form.fill("accent", with: accent ?? "")
    form.fill("logo")
    return form
  }

  /// Disables or enables it.
  func change(_ change: ChangeClient.Change, _ call: AdminCall) async throws -> Response {
    let id = try call.clientID()
    try await ChangeClient(admin.here)(change, id, by: call.id, call.visitor)
    return try admin.desk.redirect(to: "\(ClientListEndpoint.path)/\(id)")
  }

  /// Deletes it, once its id has been typed.
  func delete(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.clientID()
    var confirmation = Confirmation(posted)
    guard confirmation.confirms(id.text, deleting: "client") else {
      return try await page(confirmation.form, call, status: 422)
    }
    let deleted = try await ChangeClient(admin.here)(.delete, id, by: call.id, call.visitor)
    return try admin.redirect(to: ClientListEndpoint.path, .deleted, deleted.name)
  }

  func page(_ form: PageForm, _ call: AdminCall, status: Status = .ok) async throws -> Response {
    let (id, now) = (try call.clientID(), admin.here.clock.now())
    let found = try await admin.here.store.read { tx in
      try tx.clientEntry(id).map { entry in
        (
          entry, secrets: try tx.secretEntries(of: id, at: now), try tx.connections(),
          token: try entry.registration?.initialToken.flatMap(tx.registrationTokenName), look: try tx.look(of: id),
          mark: try tx.lookMark(of: id)
        )
      }
    }
    guard let (entry, secrets, connections, token, look, mark) = found else {
      throw Refusal(.notFound, "There is no client called \(id).")
    }
    var form = form
    if !form.has("accent") { form.fill("accent", with: look?.accent ?? "") }
    if !form.has("logo") { form.fill("logo") }
    let isChanged = try admin.text(of: .changed, at: "\(ClientListEndpoint.path)/\(id)", call) != nil
    let slots = entry.slots.merging(entry.client.registration(connections)).merging([
      "shown": .text(entry.client.mark(entry.registration)),
      "secrets": .list(secrets.enumerated().map { $1.slots(number: $0 + 1) }), "changed": .flag(isChanged),
      "registration": entry.registration.map { .object($0.slots(token: token)) } ?? .none,
      "own_pages": .flag(entry.client.signsPeopleIn), "logo_now": admin.desk.slots(of: mark)["client_logo"] ?? .none,
    ])
    return try admin.render(.adminClient, slots.merging(form.slots), call, status: status)
  }
}

extension Client {
  fileprivate func registration(_ connections: [Connection]) -> PageContext.Object {
    [
      "runs_jobs": .flag(permissions.contains(where: \.isUnattended)),
      "disabled": .flag(isDisabled), "signs_in": .flag(signsPeopleIn), "has_secret": .flag(authentication.usesSecret),
      "settings": .list(settings.map { .object(["name": .text($0.name), "value": .text($0.value)]) }),
      "grants": .list(grants.map { .text($0.shortName) }),
      "scopes": .list(scope.words.map(PageContext.text)),
      "redirect_uris": .list(redirectURIs.map { .text($0.text) }), "registered": .time(createdAt.seconds),
      "connections": .list(
        permissions.compactMap { permission in
          connections.first { $0.id == permission.connection }.map {
            .object(
              $0.slots.merging([
                "raw_token": .flag(permission.handsOutRawTokens(of: $0)), "unattended": .flag(permission.isUnattended),
              ]))
          }
        }),
    ]
  }
}

extension Client {
  /// What it was registered with beside its grants, by the names that its developer knows (RFC 7591 §2).
  fileprivate var settings: [(name: String, value: String)] {
    (effectiveOptions.json.object ?? []).flatMap { member in
      member.value.texts.map { (name: member.name, value: $0) }
    }
  }
}

extension JSONValue {
  /// What a page says of the value of an option.
  fileprivate var texts: [String] {
    switch self {
    case .string(let text): [text]
    case .array(let values): values.compactMap(\.string)
    case .object: ["given with the registration"]
    default: ["true"]
    }
  }
}

extension ClientRegistration {
  /// How it registered itself; `token` is what the token is called that it came with.
  fileprivate func slots(token: String?) -> PageContext.Object {
    let software = [description.softwareID, description.softwareVersion].compactMap(\.self).joined(separator: " ")
    return [
      "unchecked": .flag(checkedAt == nil), "token": .text(ifAny: token ?? initialToken?.text),
      "checked": .time(ifAny: checkedAt?.seconds), "about": .list(description.links),
      "contacts": .list(description.contacts.map(PageContext.text)),
      "software": .text(ifAny: software.isEmpty ? nil : software),
    ]
  }
}

extension ClientSecretEntry {
  fileprivate func slots(number: Int) -> PageContext {
    [
      "slot": .number(Int64(number)), "state": .choice(expiresAt == nil ? BadgeState.active : .expiring),
      "made": .time(madeAt.seconds), "ends": .time(ifAny: expiresAt?.seconds),
    ]
  }
}
