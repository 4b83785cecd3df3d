import Domain
import Flows
import HTTP
import Pages

/// What a person was told of their account and their services.
struct NoticesEndpoint: Sendable {
  static let path = "/account/notices"
  static let formName = "notices"
  private let desk: Desk

  init(_ desk: Desk) { self.desk = desk }

  func get(_ call: Call) async throws -> Response {
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .account) }
    let skipped = try call.query()["skip"].flatMap { Int64($0) } ?? 0
    let page = try await desk.here.notices(of: person.account.id, skipping: skipped)
    let slots: PageContext.Object = [
      "notices": .list(page.notices.map { $0.slots(under: desk.external.basePath) }),
      "any_unread": .flag(page.notices.contains { $0.readAt == nil }),
      "pager": page.pager(at: desk.external.basePath + Self.path),
    ]
    return try desk.page(.accountNotices, person.account.slots.merging(slots), call, form: Self.formName)
  }

  /// Marks as read what the form names, which is what its page showed.
  func post(_ call: Call) async throws -> Response {
    let posted = try call.form(repeatable: ["notice"])
    try desk.verify(posted, call, form: Self.formName)
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .account) }
    let ids = posted.values(of: "notice").compactMap { NoticeID($0) }
    try await desk.here.markRead(ids, of: person.account.id)
    return try desk.redirect(to: posted["back"] == "notices" ? Self.path : ReturnPath.account)
  }
}

extension Notice {
  /// As pages show it, whose paths begin with `base`.
  func slots(under base: String) -> PageContext {
    [
      "id": .text(id.text), "text": .words(words), "place": .words(ifAny: place), "advice": .words(ifAny: advice),
      "link": .url(base + path), "urgent": .flag(isUrgent && readAt == nil), "unread": .flag(readAt == nil),
      "time": .time(at.seconds),
    ]
  }
}

extension NoticePage {
  fileprivate func pager(at path: String) -> PageContext {
    guard skipped > 0 || hasMore else { return .none }
    let last = skipped + Int64(notices.count)
    func link(_ skip: Int64) -> PageContext { .url(skip == 0 ? path : "\(path)?skip=\(skip)") }
    return [
      "shown": .words("\(skipped + 1) to \(last)"), "first": skipped > 0 ? link(0) : .none,
      "next": hasMore ? link(last) : .none,
    ]
  }
}
