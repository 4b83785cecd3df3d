import Domain
import Flows
import HTTP
import Pages

/// Where a person types the code that a device shows them (RFC 8628 §3.3).
struct DeviceEndpoint: Sendable {
  private let desk: Desk

  init(_ desk: Desk) { self.desk = desk }

  /// A code in the link is only filled in: who sent the link may hold the device (§5.4).
  func get(_ call: Call) async throws -> Response {
    let query = try call.query()
    if let answer = query.nonEmpty("answer") {
      return try desk.page(.deviceAnswered, ["allowed": .flag(answer == "allowed")], call)
    }
    let code = query.nonEmpty("user_code").flatMap { UserCode(typed: $0) }
    guard try await desk.person(call) != nil else { return try desk.signInFirst(then: .device(code)) }
    return try page(Self.form(code?.shown ?? ""), call)
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: "device")
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .device(nil)) }
    try desk.here.countBeginning(by: call.visitor)
    let typed = posted["user_code"] ?? ""
    do {
      let handle = try await EnterUserCode(desk.here)(typed, person)
      return try desk.redirect(to: "/consent?ticket=\(handle.revealedText)")
    } catch let refusal as Refusal where refusal.code == .invalidGrant {
      var form = Self.form(typed)
      form.refuse("user_code", Words(refusal.description))
      return try page(form, call, status: 422)
    }
  }

  private static func form(_ code: String) -> PageForm {
    var form = PageForm()
    form.fill("user_code", with: code)
    return form
  }

  private func page(_ form: PageForm, _ call: Call, status: Status = .ok) throws -> Response {
    try desk.page(.device, form.slots, call, status: status, form: "device")
  }
}
