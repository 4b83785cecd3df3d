import Domain
import Flows
import HTTP
import Pages
import Storage

/// The accounts, each of which can be disabled and enabled; and the form for a new local one.
struct AccountListEndpoint: Sendable {
  private static let path = "/admin/accounts"
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response { try await page(LocalAccountsEndpoint.emptyForm, call) }

  /// The list with the form for a new local account.
  func page(_ form: PageForm, _ call: AdminCall, status: Status = .ok) async throws -> Response {
    let list = try await admin.here.accounts(after: call.call.query()["after"])
    let slots: PageContext.Object = [
      "disabled_name": .text(ifAny: try admin.text(of: .disabled, at: Self.path, call)),
      "enabled_name": .text(ifAny: try admin.text(of: .enabled, at: Self.path, call)),
      "accounts": .list(list.entries.map { $0.slots(seenBy: call.id) }), "pager": admin.pager(of: list, at: Self.path),
    ]
    return try admin.render(.adminAccounts, form.slots.merging(slots), call, status: status)
  }

  func change(_ call: AdminCall, disabled: Bool) async throws -> Response {
    let account = try await ChangeAccount(admin.here)(
      call.accountID(), disabled: disabled, by: call.id, call.visitor)
    return try admin.redirect(to: Self.path, disabled ? .disabled : .enabled, account.name)
  }
}

extension AccountEntry {
  fileprivate func slots(seenBy administrator: AccountID) -> PageContext {
    // Whoever came by a connection that was deleted has no way in any more.
    let wayIn = connection?.name ?? (account.username == nil ? "Nothing: its connection is gone" : nil)
    return [
      "id": .text(account.id.text), "name": .text(account.name),
      "username": .text(account.username ?? connection?.identity ?? ""), "sessions": .number(sessions),
      "connection": .text(ifAny: wayIn), "administrator": .flag(account.role == .administrator),
      "disabled": .flag(account.isDisabled), "is_self": .flag(account.id == administrator),
      "last_sign_in": .time(ifAny: lastSignIn?.seconds),
    ]
  }
}
