import Domain
import Flows
import HTTP
import Pages

/// Signs out everywhere: says first what will end, and afterwards what really did.
struct SignOutEndpoint: Sendable {
  private let desk: Desk
  private let signOut: SignOut

  init(_ desk: Desk) {
    self.desk = desk
    signOut = SignOut(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    guard let who = try await anybody(call) else { return try desk.redirect(to: "/signed-out") }
    let administrator = try await desk.administrator(call)
    let preview = try await signOut.preview(who.account.id)
    let slots: PageContext.Object = [
      "ticket": "", "other_sessions": others(preview.sessions.count, who, administrator),
      "administrator_name": .text(ifAny: administrator?.account.name),
      "services": .list(preview.services.map { .object($0.slots) }), "unattended": .flag(preview.hasUnattendedUse),
    ]
    return try desk.page(.signOut, who.account.slots.merging(slots), call, form: "signout")
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: "signout")
    guard let who = try await anybody(call) else { return try desk.redirect(to: "/signed-out") }
    let keeps = posted["keep"] == "1"
    // Somebody else's administration in the same browser ends too, since its cookie does.
    let administrator = try await desk.administrator(call)
    if let administrator, administrator.account.id != who.account.id {
      try await desk.here.endSession(administrator, call.visitor)
    }
    let kept = keeps ? try await signOut.preview(who.account.id).services.map(\.connection) : []
    let report = try await signOut(who.account.id, keepsServices: keeps, call.visitor)
    var response = try page(report, kept, who, administrator, call)
    // The device stays known, so that nobody can lock its owner out.
    response.headers.remove("set-cookie")
    for name in [CookieNames.Name.session, .administration, .browser] {
      response.headers.add(try desk.cookies.clearing(name))
    }
    response.headers.set("clear-site-data", "\"cache\", \"storage\"")
    return response
  }

  func signedOut(_ call: Call) throws -> Response {
    try desk.page(.signedOut, ["return_url": .none, "client_name": .none], call)
  }

  private func page(
    _ report: SignOut.Report, _ kept: [Connection], _ who: SignedIn, _ administrator: SignedIn?, _ call: Call
  ) throws -> Response {
    return try desk.page(
      .signOutReport,
      [
        "all_done": .flag(report.isComplete),
        "steps_left": .flag(report.items.contains { $0.upstreamSignOutURL != nil }),
        "other_sessions": others(report.sessionsEnded, who, administrator),
        "administrator_name": .text(ifAny: administrator?.account.name),
        "services": report.slots(besides: kept),
      ], call)
  }

  /// An administrator without a person's session signs out here as well.
  private func anybody(_ call: Call) async throws -> SignedIn? {
    if let person = try await desk.person(call) { return person }
    return try await desk.administrator(call)
  }

  /// How many of an account's sessions are in other browsers: both sign-ins of this one may be theirs.
  private func others(_ sessions: Int, _ who: SignedIn, _ administrator: SignedIn?) -> PageContext {
    let own = [who, administrator].compactMap(\.self).filter { $0.account.id == who.account.id }
    let others = sessions - Set(own.map(\.session.hash)).count
    return others > 0 ? .text(String(others)) : .none
  }
}
