import Domain
import Flows
import HTTP
import Pages

/// The API keys of a connection: another one in the place of the one in use, or beside it until that ends.
struct KeyEndpoint: Sendable {
  private let admin: AdminDesk
  private let connection: ConnectionEndpoint

  init(_ admin: AdminDesk) {
    self.admin = admin
    connection = ConnectionEndpoint(admin)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.call.connectionID()
    var form = ConnectionEndpoint.form()
    for name in ["expires", "referer"] { form.fill(name, with: posted[name] ?? "") }
    let now = admin.here.clock.now()
    let (key, objections) = ConnectForm.readToken(posted, at: now) { $0.keyObjections(at: now) }
    for objection in objections { form.refuse(objection.field, Words(objection.text)) }
    guard let key else { return try await connection.page(form, call, status: 422) }
    do {
      guard posted["use"] == "next" else {
        let ending = try await ReplaceKey(admin.here)(
          key, of: id, cancelsOld: posted["cancel"] == "1", by: call.id, call.visitor)
        return try show(ending, of: id)
      }
      try await NextKey(admin.here).put(key, of: id, by: call.id, call.visitor)
    } catch let refusal as Refusal where [.invalidClient, .upstreamError, .invalidRequest].contains(refusal.code) {
      form.refuse("token", Words(refusal.description))
      return try await connection.page(form, call, status: 422)
    }
    return try show(nil, of: id)
  }

  /// Lets the next key take over at once.
  func useNext(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.call.connectionID()
    let cancelsOld = posted["cancel"] == "1"
    return try show(
      try await NextKey(admin.here).use(of: id, cancelsOld: cancelsOld, by: call.id, call.visitor), of: id)
  }

  func removeNext(_ call: AdminCall) async throws -> Response {
    let id = try call.call.connectionID()
    return try show(try await NextKey(admin.here).remove(of: id, by: call.id, call.visitor), of: id)
  }

  /// Takes what keys are cancelled with.
  func name(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.call.connectionID()
    let item = KeyItem(
      clientID: (posted["key_client_id"] ?? "").trimmed, clientSecret: Secret(posted["key_client_secret"] ?? ""))
    var form = ConnectionEndpoint.form()
    form.fill("key_client_id", with: item.clientID)
    for objection in item.objections { form.refuse("key_\(objection.field)", Words(objection.text)) }
    if form.isRefused { return try await connection.page(form, call, status: 422) }
    try await NextKey(admin.here).name(item, of: id, by: call.id, call.visitor)
    return try show(nil, of: id)
  }

  /// Goes back to the page of the connection, which says what became of the key that was dropped.
  private func show(_ ending: KeyEnding?, of id: ConnectionID) throws -> Response {
    let path = ConnectionEndpoint.path(id)
    guard let ending else { return try admin.desk.redirect(to: path) }
    return try admin.redirect(to: path, .keyDropped, ending.sentence)
  }
}

extension KeyEnding {
  /// For the administrator who has just dropped it.
  fileprivate var sentence: String {
    func date(_ end: Timestamp) -> String { PageContext.timeText(end.seconds) }
    return switch self {
    case .cancelled: "It was cancelled at ArcGIS and no longer works."
    case .retrying(let end):
      "ArcGIS has not confirmed that it is cancelled. Gatehouse asks again for a day at most; until it is confirmed, the "
        + "key may work until \(date(end))."
    case .cannot(let end):
      "It cannot be cancelled from here, since the client secret of its item or its slot is not known: it works until "
        + "\(date(end)) unless it is ended in ArcGIS."
    case .left(let end): "It was not cancelled: it works until \(date(end)) unless it is ended in ArcGIS."
    }
  }
}
