import Domain
import Flows
import HTTP
import Pages

/// Invites people to a connection, shows the link of an invitation once, and withdraws invitations.
struct InvitationsEndpoint: Sendable {
  private let admin: AdminDesk
  private let invite: InvitePerson
  private let page: ConnectionEndpoint

  init(_ admin: AdminDesk) {
    self.admin = admin
    invite = InvitePerson(admin.here)
    page = ConnectionEndpoint(admin)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.call.connectionID()
    var form = ConnectionEndpoint.form()
    let (name, username) = ((posted["invitee_name"] ?? "").trimmed, (posted["invitee_username"] ?? "").trimmed)
    form.fill("invitee_name", with: name)
    form.fill("invitee_username", with: username)
    let draft = InvitePerson.Draft(connection: id, name: name, username: username)
    for objection in draft.objections { form.refuse(objection.field, Words(objection.text)) }
    if form.isRefused { return try await page.page(form, call, status: 422) }
    let link: Secret
    do {
      link = try await invite(draft, by: call.id, call.visitor).link
    } catch let needless as InvitePerson.Needless {
      throw Refusal(.invalidRequest, needless.description)
    }
    let ticket = admin.here.keep(link, for: call.id, Self.purpose(id))
    let query: QueryItems = ["ticket": ticket.revealedText]
    return try admin.desk.redirect(to: query.appended(to: "\(ConnectionEndpoint.path(id))/invitation"))
  }

  /// Shows the link that was just made; a second time it is gone.
  func get(_ call: AdminCall) async throws -> Response {
    let (entry, _, _) = try await admin.here.connectionEntry(try call.call.connectionID())
    let link = try call.onceOnlyTicket().flatMap {
      admin.here.take($0, for: call.id, Self.purpose(entry.connection.id))
    }
    let slots: PageContext.Object = [
      "link": .text(ifAny: link?.revealedText), "days": .number(Invitation.lifetime / (24 * 60 * 60)),
    ]
    return try admin.render(.adminInvitation, entry.connection.slots.merging(slots), call)
  }

  func withdraw(_ call: AdminCall) async throws -> Response {
    let connection = try call.call.connectionID()
    guard let id = call.call.segments["invitation"].flatMap(InvitationID.init) else {
      throw Refusal(.notFound, "There is no invitation of this id.")
    }
    let withdrawn = try await invite.withdraw(id, by: call.id, call.visitor)
    return try admin.redirect(to: ConnectionEndpoint.path(connection), .deleted, withdrawn.title)
  }

  private static func purpose(_ id: ConnectionID) -> String { "invitation \(id)" }
}

extension Invitation {
  /// What a list calls it.
  var title: String { name ?? username ?? "Whoever has the link" }

  var slots: PageContext {
    [
      "id": .text(id.text), "connection_id": .text(connection.text), "title": .text(title),
      "invitee": .text(ifAny: username),
      "made": .time(createdAt.seconds), "ends": .time(expiresAt.seconds),
    ]
  }
}
