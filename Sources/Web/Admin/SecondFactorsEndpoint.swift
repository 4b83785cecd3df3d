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
    let (account, factors) = try await remove.preview(call.accountID())
    let slots: PageContext.Object = [
      "id": .text(account.id.text), "name": .text(account.name), "on": .flag(factors.areOn),
      "app_since": .time(ifAny: factors.appSince?.seconds), "recovery_codes": .number(factors.recoveryCodes),
      "removed": .flag(try admin.text(of: .deleted, at: Self.path(account.id), call) != nil),
    ]
    return try admin.render(.adminAccountFactors, slots, call)
  }

  func post(_ call: AdminCall) async throws -> Response {
    let (account, _) = try await remove(call.accountID(), call.visitor)
    return try admin.redirect(to: Self.path(account.id), .deleted, account.name)
  }

  private static func path(_ id: AccountID) -> String { "/admin/accounts/\(id)/factors" }
}
