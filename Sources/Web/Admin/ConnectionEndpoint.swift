import Domain
import Flows
import HTTP
import Pages
import Storage

/// One connection: its registration, the health of its credentials, and the ways to stop it.
struct ConnectionEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  /// The page of a connection.
  static func path(_ id: ConnectionID) -> String { "\(ConnectionListEndpoint.path)/\(id)" }

  func get(_ call: AdminCall) async throws -> Response {
    try await page(Self.form(), call)
  }

  /// The fields of the page's forms, empty.
  static func form(_ confirmation: Confirmation = Confirmation()) -> PageForm {
    var form = confirmation.form
    form.fill("invitee_name")
    let names = [
      "invitee_username", "token", "expires", "referer", "key_client_id", "key_client_secret", "match_url",
      "app_client",
    ]
    for name in names { form.fill(name) }
    return form
  }

  /// Disables or enables it.
  func change(_ change: ChangeConnection.Change, _ call: AdminCall) async throws -> Response {
    let id = try call.call.connectionID()
    try await ChangeConnection(admin.here)(change, id, by: call.id, call.visitor)
    return try admin.desk.redirect(to: Self.path(id))
  }

  /// Deletes it, once its id has been typed.
  func delete(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.call.connectionID()
    var confirmation = Confirmation(posted)
    guard confirmation.confirms(id.text, deleting: "connection") else {
      return try await page(Self.form(confirmation), call, status: 422)
    }
    do {
      let deleted = try await ChangeConnection(admin.here)(.delete, id, by: call.id, call.visitor)
      return try admin.redirect(to: ConnectionListEndpoint.path, .deleted, deleted.name)
    } catch let refusal as Refusal where refusal.code == .temporarilyUnavailable {
      confirmation.form.refuse("confirm", Words(refusal.description))
      return try await page(Self.form(confirmation), call, status: 409)
    }
  }

  func page(_ form: PageForm, _ call: AdminCall, status: Status = .ok) async throws -> Response {
    var form = form
    let id = try call.call.connectionID()
    let (read, clients, overlapping) = try await admin.here.connectionEntry(id)
    var entry = read
    if !form.has("kept_days") {
      form.fill("kept_days", with: entry.connection.longestKeptDays.map(String.init) ?? "")
    }
    let match = try await MatchField(try call.call.query(), entry.connection, admin.here, &form)
    let isNew = try admin.text(of: .created, at: Self.path(id), call) != nil
    let proxy = try await admin.here.proxy(before: entry.connection)
    let trusted = await TrustServer(admin.here).standing(of: entry.connection)
    entry.isDistrusted = admin.here.isDistrusted(entry.connection)
    let keys = try await admin.here.keys(of: entry.connection)
    let slots = entry.slots.merging(entry.connection.registration(admin.here.issuer)).merging(
      entry.connection.provider.slots
    ).merging([
      "changed": .flag(try admin.text(of: .changed, at: Self.path(id), call) != nil),
      "leaves_out_portal": .flag(entry.connection.leavesOutPortal),
      "app_passwords": try await AppPasswordSwitchEndpoint.slots(entry.connection, admin.here),
      "keys": .list(keys.map(\.slots)), "next_key": .flag(keys.contains(where: \.isNext)),
      "key_item": .text(ifAny: try await admin.here.keyItemID(of: entry.connection)),
      "key_dropped": .text(ifAny: try admin.text(of: .keyDropped, at: Self.path(id), call)),
      "silence": admin.here.silence(of: id).map(\.slots) ?? .none,
      "withdrawn_name": .text(ifAny: try admin.text(of: .deleted, at: Self.path(id), call)),
      "invitations": .list(try await admin.here.openInvitations(to: id).map(\.slots)),
      "invitation_days": .number(Invitation.lifetime / (24 * 60 * 60)),
      "trusted": .list(trusted.map(\.slots)), "own_server": .text(entry.connection.server ?? ""),
      "has_tls": .flag(entry.connection.hasTLS),
      "lets_in": .flag(entry.connection.kind.connectsInBrowser && proxy == nil),
      "waiting": entry.waitingSlots, "created": .flag(isNew), "count": entry.health.slots,
      "clients": .list(clients.map { $0.slots(at: entry.connection) }),
      "overlapping": .list(overlapping.map { ["id": .text($0.id.text), "name": .text($0.name)] }),
    ])
    let isRefused = status == .ok && form.isRefused
    return try admin.render(
      .adminConnection, slots.merging(match.slots).merging(form.slots), call, status: isRefused ? 422 : status)
  }
}

extension Connection {
  fileprivate func registration(_ issuer: String) -> PageContext.Object {
    [
      "by_form": .flag(kind.connectsByForm), "of_service": .flag(kind.isServiceOwned),
      "has_key": .flag(kind == .apiKey), "in_browser": .flag(kind.connectsInBrowser),
      "registered": .flag(kind.hasRegistration),
      "connect_url": .text("\(issuer)/connect/\(id)"),
      "server_url": .text(origin), "callback_url": .text("\(issuer)/callback/\(id)"), "client_id": .text(clientID),
      "arcgis_url": .text(ifAny: kind.isPortal ? "\(issuer)/\(id)" : nil),
      "backchannel_logout_url": .text(
        ifAny: takesLogoutTokens ? issuer + BackchannelLogoutEndpoint.path(id.text) : nil),
      "admission": AdmissionName(rawValue: admission.rawValue).map(PageContext.choice) ?? .none,
      "kept_days": .text(ifAny: longestKeptDays.map { $0.counted("day") }),
      "has_secret": .flag(hasClientSecret), "disabled": .flag(isDisabled),
      "networks": .list(reach.networks.map(PageContext.text)), "allows_http": .flag(reach.allowsHTTP),
      "scopes": .list(kind == .oidc || kind == .iap ? scopes.map(PageContext.text) : []),
      "issuing": .flag(kind == .oidc || kind == .iap),
      "proxy": iap?.slots(issuer) ?? .none, "scheme": .text(ifAny: network?.scheme?.name),
      "realm": .text(ifAny: network?.kerberos?.realm ?? network?.realm),
      "centres": .list((network?.kerberos?.centres ?? []).map(PageContext.text)),
      "resources": .list(resources.map { .text($0.text) }), "admitted": .list(admitted.map(PageContext.text)),
      "option": portal.slots(of: kind), "added": .time(createdAt.seconds),
    ]
  }
}

extension Connection {
  /// Whether any of its servers has a certificate to look at.
  fileprivate var hasTLS: Bool {
    ([origin] + (provider.endpoints?.all ?? []) + resources.map(\.text)).contains { !$0.hasPrefix("http://") }
  }
}

extension TrustServer.Standing {
  fileprivate var slots: PageContext {
    [
      "server": .text(key.server), "key": .text(key.shownKey), "until": .time(key.until.seconds),
      "problem": .text(ifAny: sight?.problem),
    ]
  }
}

extension IAPOptions {
  fileprivate func slots(_ issuer: String) -> PageContext {
    [
      "authorize_url": .text(authorizeURL), "token_url": .text(tokenURL), "logout_url": .text(logoutURL),
      "signed_out_url": .text("\(issuer)/signed-out"), "prompt": .text(ifAny: prompt),
      "tenants": .list(tenants.map(PageContext.text)),
    ]
  }
}

extension PortalOptions {
  /// What counts for `kind`; a provider has none of them.
  fileprivate func slots(of kind: Connection.Kind) -> PageContext {
    let isOAuth = kind == .oauthUser
    let lifetime = refreshTokenMinutes.map { $0 < 0 ? "The longest the portal allows" : $0.counted("minute") }
    return [
      "refresh_token_lifetime": .text(ifAny: isOAuth ? lifetime : nil),
      "exchange_interval": .text(ifAny: isOAuth ? (exchangeBelowSeconds / 3600).counted("hour") : nil),
      "federated_minutes": .text(
        ifAny: kind.isPortal && tokenURL == nil ? federatedTokenMinutes.counted("minute") : nil),
      "token_minutes": .text(ifAny: kind == .token || kind == .oauthApplication ? tokenMinutes.counted("minute") : nil),
      "locale": .text(ifAny: isOAuth ? locale : nil), "page_style": .text(ifAny: isOAuth ? style : nil),
      "force_login": .flag(isOAuth && forcesLogin),
    ]
  }
}

extension KeyStanding {
  fileprivate var slots: PageContext {
    [
      "name": .text(slot.map { "Slot \($0)" } ?? "API key"), "ends": .time(endsAt.seconds), "next": .flag(isNext),
    ]
  }
}

extension UpstreamSilence {
  fileprivate var slots: PageContext { ["since": .time(since.seconds), "again": .time(triesAt.seconds)] }
}

extension CredentialHealth {
  fileprivate var slots: PageContext {
    ["healthy": .number(healthy), "expiring": .number(expiring), "broken": .number(broken)]
  }
}

extension PermittedClient {
  fileprivate func slots(at connection: Connection) -> PageContext {
    [
      "id": .text(id.text), "name": .text(name),
      "raw_token": .flag(handsOutRawTokens && !connection.kind.isNetwork),
    ]
  }
}
