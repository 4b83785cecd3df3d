import Domain
import Flows
import HTTP
import Pages

/// What a page tells a person whom it cannot give what they came for.
struct Message: Sendable {
  let title: Words
  let text: Words
  var advice: Words?
  /// A path of ours that starts again.
  var retryPath: String?
  var status: Status = .badRequest
}

extension Desk {
  func page(_ message: Message, _ call: Call) throws -> Response {
    if message.status.code >= 400 { call.logRefusal("\(message.status.code)", message.title.english, here.log) }
    return try page(
      .error,
      [
        "title": .words(message.title), "message": .words(message.text), "advice": .words(ifAny: message.advice),
        "retry_url": message.retryPath.map { .url(external.basePath + $0) } ?? .none,
        "time": .time(here.clock.now().seconds), "code": .none, "request_id": .text(call.requestID),
      ], call, status: message.status)
  }
}

extension Message {
  /// A trip to `connection` that its server ended; its own words stay in the log.
  init(_ failure: UpstreamFailure, at connection: String, retryPath: String) {
    let unchanged: Words = "Nothing was changed."
    switch failure {
    case .transient, .ambiguous:
      self.init(
        title: "\(connection) does not answer",
        text: "\(connection) could not be reached, or did not finish its answer. \(unchanged)",
        advice: "Try again in a few minutes.", retryPath: retryPath, status: .serviceUnavailable)
    case .misconfigured:
      self.init(
        title: "\(connection) does not accept Gatehouse",
        text: "Nobody can sign in there through Gatehouse at the moment. \(unchanged)",
        advice: "Tell an administrator: the log says why under the reference below.", status: .badGateway)
    case .refused:
      self.init(
        title: "The sign-in was not completed", text: "\(connection) did not complete the sign-in. \(unchanged)",
        advice: "Start again. If it keeps failing, tell an administrator.", retryPath: retryPath)
    case .invalidAnswer:
      self.init(
        title: "The sign-in was not completed",
        text: "The answer of \(connection) could not be trusted, so it was not used. \(unchanged)",
        advice: "Start again. If it keeps failing, tell an administrator: the log says why.", retryPath: retryPath,
        status: .badGateway)
    }
  }

  /// A callback that belongs to no trip of this browser.
  static let unknownTrip = Message(
    title: "This sign-in is no longer valid",
    text: "It took longer than 10 minutes, began in another browser or session, or the service was changed meanwhile.",
    advice: "Nothing was changed. Start again from here.", retryPath: "/signin")

  static let accountDisabled = Message(
    title: "Your account is disabled", text: "You cannot sign in here at the moment.",
    advice: "Ask an administrator to enable your account.", status: .forbidden)

  static func localAccount(_ connection: String, identity: String) -> Message {
    Message(
      title: "Sign in with your password here",
      text: "\(identity) at \(connection) is connected to an account that has a user name and password here.",
      advice: "Sign in with these. To use the service with another account, disconnect it from that one first.",
      retryPath: "/signin", status: .forbidden)
  }

  static func linkedElsewhere(_ connection: String, identity: String) -> Message {
    Message(
      title: "This sign-in belongs to another account",
      text: "\(identity) at \(connection) is connected to another account here. Nothing was changed.",
      advice: "Sign in here as \(identity) instead, or sign in to \(connection) as somebody else.",
      retryPath: ReturnPath.account, status: .forbidden)
  }

  static func cancelled(_ connection: String, retryPath: String) -> Message {
    Message(
      title: "You cancelled the sign-in", text: "You pressed Cancel at \(connection), so nothing was changed.",
      retryPath: retryPath, status: .ok)
  }
}
