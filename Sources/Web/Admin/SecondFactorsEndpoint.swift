import Domain
import Flows
import HTTP
import Pages

/// Takes the second factors off the account of somebody who lost them all; asks before.
struct SecondFactorsEndpoint: Sendable {
  private let admin: AdminDesk
  private let remove: RemoveSecondFactors

  init(_ admin: AdminDesk) {
    self.admin = admin
    remove = RemoveSecondFactors(admin.here)
  }

  func get(_ call: AdminCall) async throws -> Response {
    let (account, factors) = try await remove.preview(other(call))
    let slots: PageContext.Object = [
      "id": .text(account.id.text), "name": .text(account.name), "on": .flag(factors.areOn),
      "app_since": .time(ifAny: factors.appSince?.seconds), "recovery_codes": .number(factors.recoveryCodes),
      "passkeys": .number(factors.passkeys),
      "removed": .flag(try admin.text(of: .deleted, at: Self.path(account.id), call) != nil),
    ]
    return try admin.render(.adminAccountFactors, slots, call)
  }

  func post(_ call: AdminCall) async throws -> Response {
    let (account, _) = try await remove(other(call), call.visitor)
    return try admin.redirect(to: Self.path(account.id), .deleted, account.name)
  }

  /// The account that the path names; never the administrator's own, which takes a fresh sign-in.
  private func other(_ call: AdminCall) throws -> AccountID {
    let id = try call.accountID()
    guard id != call.id else { throw Refusal(.invalidRequest, "Change your own second step under Security.") }
    return id
  }

  private static func path(_ id: AccountID) -> String { "/admin/accounts/\(id)/factors" }
}
