import Domain
import Flows
import HTTP
import Pages
import Storage

/// Signs a person out for them: says first what will end, and afterwards what really did.
struct AccountSignOutEndpoint: Sendable {
  private let admin: AdminDesk
  private let signOut: SignOut

  init(_ admin: AdminDesk) {
    self.admin = admin
    signOut = SignOut(admin.here)
  }

  func get(_ call: AdminCall) async throws -> Response {
    let account = try await other(call)
    let preview = try await signOut.preview(account.id)
    return try admin.render(
      .adminAccountSignOut,
      [
        "id": .text(account.id.text), "name": .text(account.name), "sessions": .number(Int64(preview.sessions.count)),
        "services": .list(preview.services.map { .object($0.slots) }),
      ], call)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let account = try await other(call)
    let keeps = posted["keep"] == "1"
    let kept = keeps ? try await signOut.preview(account.id).services.map(\.connection) : []
    let report = try await signOut(account.id, keepsServices: keeps, call.visitor)
    return try admin.render(
      .adminAccountSignedOut,
      [
        "id": .text(account.id.text), "name": .text(account.name), "sessions": .number(Int64(report.sessionsEnded)),
        "all_done": .flag(report.isComplete), "services": report.slots(besides: kept),
      ], call)
  }

  /// The account that the path names; never the administrator's own, whose cookies a sign-out has to clear, too.
  private func other(_ call: AdminCall) async throws -> Account {
    let id = try call.accountID()
    guard id != call.id else { throw Refusal(.invalidRequest, "Sign yourself out by “Sign out” on your own page.") }
    guard let account = try await admin.here.store.read({ try $0.account(id) }) else {
      throw Refusal(.notFound, "There is no account of this id.")
    }
    return account
  }
}
