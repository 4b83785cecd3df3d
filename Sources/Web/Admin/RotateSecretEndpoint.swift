import Domain
import Flows
import HTTP
import Pages
import Storage

/// Makes a new secret of a client, after saying what becomes of the ones it has.
struct RotateSecretEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response { try await page(call, isStale: false) }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    // The secret that the page spoke of, so that sending its form twice does not make two.
    guard let present = posted["present"] else {
      throw Refusal(.invalidRequest, "Open the page of the client and make the secret from there.")
    }
    do {
      let new = try await ChangeClient(admin.here).rotateSecret(
        of: call.clientID(), insteadOf: present, by: call.id, call.visitor)
      return try ClientSecretPage(admin).redirect(to: new.client, new.secret, .rotated, call)
    } catch let refusal as Refusal where refusal == ChangeClient.madeMeanwhile {
      return try await page(call, isStale: true)
    }
  }

  private func page(_ call: AdminCall, isStale: Bool) async throws -> Response {
    let secrets = try await admin.here.clientSecrets(call.clientID())
    let client = secrets.client
    guard client.kind == .confidential, let present = secrets.present else {
      throw Refusal(.invalidRequest, "A public client has no secret.")
    }
    let slots: PageContext.Object = [
      "id": .text(client.id.text), "name": .text(client.name), "stale": .flag(isStale),
      "present": .text(present.reference), "present_made": .time(present.madeAt.seconds),
      "overlap_hours": .number(ChangeClient.secretOverlap / 3600),
      "ending": .time(ifAny: secrets.previousEndsAt?.seconds),
    ]
    return try admin.render(.adminClientRotate, slots, call, status: isStale ? 409 : .ok)
  }
}
