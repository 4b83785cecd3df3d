import Domain
import Flows
import HTTP
import Logging
import Pages

/// How refusals and faults look to people.
struct ErrorPages: Sendable {
  private let desk: Desk

  init(_ desk: Desk) { self.desk = desk }

  func page(for refusal: Refusal, _ call: Call) -> Response {
    let title: Words =
      switch refusal.code {
      case .notFound: "Not found"
      case .temporarilyUnavailable, .slowDown: "Try again shortly"
      case .serverError: "Something went wrong here"
      default: "This did not work"
      }
    call.log(refusal, desk.here.log)
    var response = page(title, Words(refusal.description), advice: nil, refusal, call)
    if let seconds = refusal.retryAfter { response.headers.set("retry-after", FieldValue(seconds)) }
    return response
  }

  /// A form from an old page: nothing was done, and opening the page again helps.
  func foreignForm(_ call: Call) async -> Response {
    call.logRefusal("malicious_csrf", "The form token does not match.", desk.here.log)
    await record(call)
    var response = page(
      "This form is out of date", "The form was not sent from a current page of ours, so nothing was changed.",
      advice: "Go back, reload the page and send it again. Cookies must be allowed.",
      Refusal(.invalidRequest, "The form token does not match."), call)
    response.status = .forbidden
    return response
  }

  /// Whoever is signed in finds a foreign form in the audit log.
  private func record(_ call: Call) async {
    do {
      let (administrator, person) = (try await desk.administrator(call), try await desk.person(call))
      guard let account = (administrator ?? person)?.account.id else { return }
      try await desk.here.recordForeignForm(of: account, call.visitor)
    } catch {
      desk.here.log.error(
        "a foreign form was not written down",
        ["request": .string(call.requestID), "error": .string(String(describing: error))])
    }
  }

  private func page(
    _ title: Words, _ message: Words, advice: Words?, _ refusal: Refusal, _ call: Call
  ) -> Response {
    let slots: PageContext.Object = [
      "title": .words(title), "message": .words(message), "advice": .words(ifAny: advice), "retry_url": .none,
      "time": .time(desk.here.clock.now().seconds), "code": .text(refusal.code.rawValue),
      "request_id": .text(call.requestID),
    ]
    do {
      return try desk.page(.error, slots, call, status: refusal.status)
    } catch {
      // The error page itself is broken: say at least what happened, as plain text.
      desk.here.log.error("the error page does not render", ["error": .string(String(describing: error))])
      return Response(
        status: refusal.status, headers: ["content-type": "text/plain; charset=utf-8"],
        body: .bytes(Array("\(title.english). \(message.english)\n".utf8)))
    }
  }
}
