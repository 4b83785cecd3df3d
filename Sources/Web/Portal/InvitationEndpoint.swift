import Domain
import Flows
import HTTP
import Pages

/// Where the link of an invitation leads: explains it, and begins the sign-in that accepts it.
struct InvitationEndpoint: Sendable {
  private let desk: Desk
  private let trips: TripEndpoint
  private let begin: BeginSignIn
  private let open: OpenInvitation

  init(_ desk: Desk) {
    self.desk = desk
    trips = TripEndpoint(desk)
    begin = BeginSignIn(desk.here)
    open = OpenInvitation(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    guard let ticket = try call.query().nonEmpty("ticket"), let offer = try await open(ticket) else {
      return try desk.page(.closedInvitation, call)
    }
    _ = try await begin.connection(offer.connection.id)
    let slots: PageContext.Object = [
      "ticket": .text(ticket), "invitee": .text(ifAny: offer.invitation.username),
      "ends": .time(offer.invitation.expiresAt.seconds),
      "account_name": .text(ifAny: try await desk.person(call)?.account.name),
    ]
    return try desk.page(
      .invitation, offer.connection.slots.merging(slots), call, form: Self.form(ticket),
      formTargets: try await desk.formTargets(of: offer.connection))
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    let ticket = posted["ticket"] ?? ""
    try desk.verify(posted, call, form: Self.form(ticket))
    guard let offer = try await open(ticket) else { return try desk.page(.closedInvitation, call) }
    let trip = TripEndpoint.Trip(
      connection: offer.connection.id, purpose: .acceptInvitation(offer.link), returnPath: ReturnPath.account)
    return try await trips.start(trip, call)
  }

  private static func form(_ ticket: String) -> String { "invitation \(ticket)" }
}

extension Message {
  fileprivate static let closedInvitation = Message(
    title: "This invitation does not work", text: "It was used or withdrawn, has expired, or was not copied whole.",
    advice: "If you have an account already, sign in. Otherwise ask whoever invited you for a new link.",
    retryPath: nil, status: .notFound)
}
