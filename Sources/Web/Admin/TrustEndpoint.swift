import Domain
import Flows
import HTTP
import Pages

/// Shows what certificate a server has, and lets an administrator trust exactly its public key.
struct TrustEndpoint: Sendable {
  private let admin: AdminDesk
  private let trust: TrustServer

  init(_ admin: AdminDesk) {
    self.admin = admin
    trust = TrustServer(admin.here)
  }

  func get(_ call: AdminCall) async throws -> Response {
    let server = Self.server(try call.call.query()["server"])
    return try await page(server, Self.form(), call)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.call.connectionID()
    let server = Self.server(posted["server"])
    var form = Self.form(until: posted["until"] ?? "")
    let (until, objection) = Self.day(posted["until"])
    if let objection { form.refuse("until", Words(objection)) }
    if !form.isRefused {
      do {
        let approval = TrustServer.Approval(server: server, publicKey: posted["public_key"] ?? "", until: until)
        try await trust.approve(approval, of: id, by: call.id, call.visitor)
        return try admin.desk.redirect(to: ConnectionEndpoint.path(id))
      } catch let refusal as Refusal where refusal.code == .invalidRequest {
        form.refuse("", Words(refusal.description))
      }
    }
    return try await page(server, form, call, status: 422)
  }

  func withdraw(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.call.connectionID()
    try await trust.withdraw(Self.server(posted["server"]), of: id, by: call.id, call.visitor)
    return try admin.desk.redirect(to: ConnectionEndpoint.path(id))
  }

  private func page(
    _ server: String, _ form: PageForm, _ call: AdminCall, status: Status = .ok
  ) async throws -> Response {
    let (entry, _, _) = try await admin.here.connectionEntry(try call.call.connectionID())
    let sight = try await trust.look(
      at: server, of: entry.connection.id, isDeclaring: call.call.request.method == .post)
    let slots: PageContext.Object = [
      "server": .text(sight.server), "trusted": .flag(sight.distrust == nil),
      "approved": .flag(sight.approval == .fits), "problem": .text(ifAny: sight.problem),
      "approvable": .flag(sight.distrust != nil && !sight.chain.isEmpty),
      "public_key": .text(sight.chain.first?.publicKeyFingerprint ?? ""), "chain": .list(sight.chain.map(\.slots)),
    ]
    return try admin.render(
      .adminTrust, entry.connection.slots.merging(slots).merging(form.slots), call, status: status)
  }

  private static func form(until: String = "") -> PageForm {
    var form = PageForm()
    form.fill("until", with: until)
    return form
  }

  /// `host:port`, also without the usual port or as a URL.
  static func server(_ typed: String?) -> String {
    let text = (typed ?? "").trimmed
    guard let url = ResourceURL(text.contains("://") ? text : "https://\(text)") else { return text }
    return "\(url.host):\(url.port)"
  }

  /// The end of an approval; `nil` for the usual one.
  static func day(_ typed: String?) -> (Timestamp?, objection: String?) {
    let text = (typed ?? "").trimmed
    if text.isEmpty { return (nil, nil) }
    guard let day = Timestamp(day: text) else { return (nil, "Enter a day such as 2027-06-30, or leave it empty.") }
    return (day, nil)
  }
}

extension ServerSight {
  /// Why the server is not trusted; `nil` when it is.
  var problem: String? {
    switch approval {
    case .otherKey:
      return "It shows another key than the one that was approved: approve it again if it is the right one."
    case .ended: return "The approval of its key has ended: approve it again if the server is still to be trusted."
    case .none, .fits: return distrust?.problem
    }
  }
}

extension Distrust {
  fileprivate var problem: String {
    switch self {
    case .unknownAuthority: "No authority known here has signed its certificate."
    case .expired: "Its certificate has expired."
    case .notYetValid: "Its certificate is not valid yet."
    case .otherHost: "Its certificate is made out to another name."
    case .other: "OpenSSL does not accept its certificate."
    }
  }
}
