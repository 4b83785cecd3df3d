import Domain
import Flows
import HTTP
import Pages

/// One request of an administrator.
struct AdminCall: Sendable {
  let call: Call
  let administrator: SignedIn
  /// Who is signed in as a person in the same browser; it may be somebody else.
  let person: SignedIn?

  /// Whose name stands in the audit.
  var id: AccountID { administrator.account.id }
  var visitor: Visitor { call.visitor.acting(as: id) }

  /// The ticket of what waits to be shown once; none in a HEAD, which would use it up and show nothing.
  func onceOnlyTicket() throws -> String? {
    call.request.method == .head ? nil : try call.query()["ticket"]
  }

  /// The client that the path names.
  ///
  /// - Throws: `Refusal` `not_found` when it cannot be one.
  func clientID() throws -> ClientID { try call.clientID() }

  /// The account that the path names.
  ///
  /// - Throws: `Refusal` `not_found` when it cannot be one.
  func accountID() throws -> AccountID {
    guard let id = call.segments["account"].flatMap(AccountID.init) else {
      throw Refusal(.notFound, "There is no account of this id.")
    }
    return id
  }
}

/// What the pages of the administration share.
///
/// Every route is made here, so that none can forget to ask who is there, or take a form from elsewhere.
struct AdminDesk: Sendable {
  private static let formName = "admin"

  /// Room for two boxes beside each of several hundred connections.
  private static var formLimits: Form.Limits {
    var limits = Form.Limits()
    limits.fieldCount = 1000
    return limits
  }

  let desk: Desk

  var here: Installation { desk.here }

  /// A page that only an administrator gets; anybody else is sent to sign in as one.
  func page(_ pattern: String, _ handle: @escaping @Sendable (AdminCall) async throws -> Response) -> Route {
    .page(.get, pattern) { call in try await guarded(call, handle) }
  }

  /// A form that only an administrator can send, from a page of the administration; the fields named in `repeatable` may
  /// stand more than once.
  func form(
    _ pattern: String, repeatable: Set<String> = [],
    _ handle: @escaping @Sendable (AdminCall, Form) async throws -> Response
  ) -> Route {
    .page(.post, pattern) { call in
      try await guarded(call) { admin in
        let form = try call.form(repeatable: repeatable, limits: Self.formLimits)
        try desk.verify(form, call, form: Self.formName)
        return try await handle(admin, form)
      }
    }
  }

  /// The same for a form that may bring files.
  func upload(
    _ pattern: String, _ handle: @escaping @Sendable (AdminCall, Form, [String: [UInt8]]) async throws -> Response
  ) -> Route {
    .page(.post, pattern) { call in
      try await guarded(call) { admin in
        let (form, files) = try call.formWithFiles()
        try desk.verify(form, call, form: Self.formName)
        return try await handle(admin, form, files)
      }
    }
  }

  private func guarded(_ call: Call, _ handle: (AdminCall) async throws -> Response) async throws -> Response {
    guard let administrator = try await desk.administrator(call) else {
      return try desk.signInFirst(then: .administration(page: page(asked: call.request)))
    }
    return try await handle(
      AdminCall(call: call, administrator: administrator, person: try await desk.person(call)))
  }

  /// The page to go on with after a sign-in; none where something was sent, and for the overview.
  private func page(asked request: Request) -> String? {
    guard request.method == .get, request.target.hasPrefix(desk.external.basePath) else { return nil }
    let path = String(request.target.dropFirst(desk.external.basePath.count))
    return Continuation.isAdministrationPage(path) ? path : nil
  }

  func render(
    _ name: PageName, _ slots: PageContext.Object, _ call: AdminCall, status: Status = .ok
  ) throws -> Response {
    let account: PageContext.Object = [
      "account_name": .text(call.administrator.account.name), "person_name": .text(ifAny: call.person?.account.name),
    ]
    return try desk.page(name, account.merging(slots), call.call, status: status, form: Self.formName)
  }
}

/// What a page says was just done; its link carries a text that only we can make, so that no page can be made to say
/// anything else.
enum AdminNotice: String, Sendable {
  case created
  case changed
  case disabled
  case enabled
  case deleted
  case keyDropped = "key_dropped"
}

extension AdminDesk {
  /// Sends the browser to `path`, which then shows `text` once.
  func redirect(to path: String, _ notice: AdminNotice, _ text: String) throws -> Response {
    let query: QueryItems = [notice.rawValue: here.signed(text, for: "\(notice.rawValue) \(path)")]
    return try desk.redirect(to: query.appended(to: path))
  }

  /// The text to show at `path`, if there is one.
  func text(of notice: AdminNotice, at path: String, _ call: AdminCall) throws -> String? {
    try call.call.query()[notice.rawValue].flatMap { here.signedText($0, for: "\(notice.rawValue) \(path)") }
  }
}

extension AdminDesk {
  /// The links to further pages of the list at `path`, which keep the fields of `query`; none when it fits on one.
  func pager<Entry>(of list: ListPage<Entry>, at path: String, _ query: QueryItems = [:]) -> PageContext {
    guard list.isPart else { return .none }
    let last = list.skipped + Int64(list.entries.count)
    let shown =
      list.entries.isEmpty
      ? "None of \(list.total)" : "\(list.skipped + 1) to \(last) of \(max(list.total, last))"
    func link(_ cursor: String?) -> PageContext {
      var query = query
      query.append("after", cursor)
      return .url(query.appended(to: desk.external.basePath + path))
    }
    return [
      "shown": .text(shown), "first": list.skipped > 0 ? link(nil) : .none, "next": list.next.map(link) ?? .none,
    ]
  }
}
