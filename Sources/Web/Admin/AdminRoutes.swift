import Flows
import HTTP

extension App {
  /// The pages of the administration.
  static func adminRoutes(_ desk: Desk) -> [Route] {
    let admin = AdminDesk(desk: desk)
    return overview(admin) + connections(admin) + clients(admin) + registration(admin) + accounts(admin)
      + webhooks(admin)
  }

  private static func overview(_ admin: AdminDesk) -> [Route] {
    let (overview, audit, signOut) = (OverviewEndpoint(admin), AuditEndpoint(admin), AdminSignOutEndpoint(admin))
    let (ledger, why, usage) = (LedgerEndpoint(admin), WhyEndpoint(admin), UsageEndpoint(admin))
    return [
      admin.page("/admin") { try await overview.get($0) },
      admin.page("/admin/audit") { try await audit.get($0) },
      admin.page("/admin/ledger") { try await ledger.get($0) },
      admin.page("/admin/why") { try await why.get($0) },
      admin.page("/admin/usage") { try await usage.get($0) },
      admin.page("/admin/usage.csv") { try await usage.csv($0) },
      admin.page("/admin/usage.json") { try await usage.json($0) },
      admin.form("/admin/signout") { call, _ in try await signOut.post(call) },
    ]
  }

  private static func connections(_ admin: AdminDesk) -> [Route] {
    let (list, new, edit) = (
      ConnectionListEndpoint(admin), NewConnectionEndpoint(admin), EditConnectionEndpoint(admin)
    )
    let (one, invitations) = (ConnectionEndpoint(admin), InvitationsEndpoint(admin))
    let (trust, key, keeping) = (TrustEndpoint(admin), KeyEndpoint(admin), KeepingEndpoint(admin))
    let (appPasswords, appPasswordList) = (AppPasswordSwitchEndpoint(admin), AppPasswordListEndpoint(admin))
    return [
      admin.page("/admin/connections") { try await list.get($0) },
      admin.page("/admin/connections/new") { try new.get($0) },
      admin.form("/admin/connections/new") { try await new.post($0, $1) },
      admin.page("/admin/connections/:connection") { try await one.get($0) },
      admin.page("/admin/connections/:connection/edit") { try await edit.get($0) },
      admin.form("/admin/connections/:connection/edit") { try await edit.post($0, $1) },
      admin.form("/admin/connections/:connection/disable") { call, _ in try await one.change(.disable, call) },
      admin.form("/admin/connections/:connection/enable") { call, _ in try await one.change(.enable, call) },
      admin.form("/admin/connections/:connection/delete") { try await one.delete($0, $1) },
      admin.form("/admin/connections/:connection/key") { try await key.post($0, $1) },
      admin.form("/admin/connections/:connection/key/use") { try await key.useNext($0, $1) },
      admin.form("/admin/connections/:connection/key/item") { try await key.name($0, $1) },
      admin.form("/admin/connections/:connection/key/remove") { call, _ in try await key.removeNext(call) },
      admin.form("/admin/connections/:connection/keeping") { try await keeping.post($0, $1) },
      admin.form("/admin/connections/:connection/app-passwords") { try await appPasswords.post($0, $1) },
      admin.page("/admin/connections/:connection/app-passwords") { try await appPasswordList.atConnection($0) },
      admin.form("/admin/connections/:connection/app-passwords/:password/end") { call, _ in
        try await appPasswordList.endAtConnection(call)
      },
      admin.page("/admin/connections/:connection/trust") { try await trust.get($0) },
      admin.form("/admin/connections/:connection/trust") { try await trust.post($0, $1) },
      admin.form("/admin/connections/:connection/trust/withdraw") { try await trust.withdraw($0, $1) },
      admin.form("/admin/connections/:connection/invite") { try await invitations.post($0, $1) },
      admin.page("/admin/connections/:connection/invitation") { try await invitations.get($0) },
      admin.form("/admin/connections/:connection/invitations/:invitation/withdraw") { call, _ in
        try await invitations.withdraw(call)
      },
    ]
  }

  private static func clients(_ admin: AdminDesk) -> [Route] {
    let (list, new, one) = (ClientListEndpoint(admin), NewClientEndpoint(admin), ClientEndpoint(admin))
    let (secret, rotate, edit) = (ClientSecretPage(admin), RotateSecretEndpoint(admin), EditClientEndpoint(admin))
    let (keys, editKey) = (APIKeysEndpoint(admin), EditAPIKeyEndpoint(admin))
    let look = ClientLookForm(admin)
    return [
      admin.page("/admin/clients") { try await list.get($0) },
      admin.page("/admin/clients/new") { try await new.get($0) },
      admin.form("/admin/clients/new", repeatable: ClientDraftForm.repeatable) { try await new.post($0, $1) },
      admin.page("/admin/clients/:client") { try await one.get($0) },
      admin.page("/admin/clients/:client/edit") { try await edit.get($0) },
      admin.form("/admin/clients/:client/edit", repeatable: ClientDraftForm.repeatable) { try await edit.post($0, $1) },
      admin.upload("/admin/clients/:client/look") { try await look.post($0, $1, $2) },
      admin.form("/admin/clients/:client/trust") { try await edit.trust($0, $1) },
      admin.page("/admin/clients/:client/keys") { try await keys.get($0) },
      admin.form("/admin/clients/:client/keys", repeatable: APIKeyForm.repeatable) { try await keys.post($0, $1) },
      admin.page("/admin/clients/:client/keys/:key/edit") { try await editKey.get($0) },
      admin.form("/admin/clients/:client/keys/:key/edit", repeatable: APIKeyForm.repeatable) {
        try await editKey.post($0, $1)
      },
      admin.form("/admin/clients/:client/keys/:key/next") { call, _ in try await keys.next(call) },
      admin.form("/admin/clients/:client/keys/:key/revoke") { try await keys.revoke($0, $1) },
      admin.page("/admin/clients/:client/secret") { try await secret.get($0) },
      admin.page("/admin/clients/:client/rotate") { try await rotate.get($0) },
      admin.form("/admin/clients/:client/rotate") { try await rotate.post($0, $1) },
      admin.form("/admin/clients/:client/disable") { call, _ in try await one.change(.disable, call) },
      admin.form("/admin/clients/:client/enable") { call, _ in try await one.change(.enable, call) },
      admin.form("/admin/clients/:client/delete") { try await one.delete($0, $1) },
    ]
  }

  private static func registration(_ admin: AdminDesk) -> [Route] {
    let tokens = RegistrationTokensEndpoint(admin)
    return [
      admin.page(RegistrationTokensEndpoint.path) { try await tokens.get($0) },
      admin.form(RegistrationTokensEndpoint.path) { try await tokens.post($0, $1) },
      admin.form(RegistrationTokensEndpoint.path + "/:token/revoke") { call, _ in try await tokens.revoke(call) },
    ]
  }

  private static func webhooks(_ admin: AdminDesk) -> [Route] {
    let webhooks = WebhooksEndpoint(admin)
    return [
      admin.page(WebhooksEndpoint.path) { try await webhooks.get($0) },
      admin.form(WebhooksEndpoint.path, repeatable: ["event"]) { try await webhooks.post($0, $1) },
      admin.form(WebhooksEndpoint.path + "/:webhook/test") { call, _ in try await webhooks.test(call) },
      admin.form(WebhooksEndpoint.path + "/:webhook/delete") { call, _ in try await webhooks.delete(call) },
    ]
  }

  private static func accounts(_ admin: AdminDesk) -> [Route] {
    let (list, signOut) = (AccountListEndpoint(admin), AccountSignOutEndpoint(admin))
    let factors = SecondFactorsEndpoint(admin)
    let (local, appPasswords) = (LocalAccountsEndpoint(admin), AppPasswordListEndpoint(admin))
    return [
      admin.page("/admin/accounts") { try await list.get($0) },
      admin.form("/admin/accounts") { try await local.create($0, $1) },
      admin.page("/admin/accounts/:account/password") { try await local.get($0) },
      admin.form("/admin/accounts/:account/password") { call, _ in try await local.post(call) },
      admin.form("/admin/accounts/:account/disable") { call, _ in try await list.change(call, disabled: true) },
      admin.form("/admin/accounts/:account/enable") { call, _ in try await list.change(call, disabled: false) },
      admin.page("/admin/accounts/:account/signout") { try await signOut.get($0) },
      admin.form("/admin/accounts/:account/signout") { try await signOut.post($0, $1) },
      admin.page("/admin/accounts/:account/app-passwords") { try await appPasswords.ofAccount($0) },
      admin.form("/admin/accounts/:account/app-passwords/:password/end") { call, _ in
        try await appPasswords.endOfAccount(call)
      },
      admin.page("/admin/accounts/:account/factors") { try await factors.get($0) },
      admin.form("/admin/accounts/:account/factors") { call, _ in try await factors.post(call) },
    ]
  }
}
