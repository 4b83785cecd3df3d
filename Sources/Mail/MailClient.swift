import Dispatch

/// Sends mails, on a queue of its own: waiting for a mail server holds up nothing else.
public final class MailClient: Sendable {
  public let server: MailServer
  private let queue = DispatchQueue(label: "mail", qos: .utility)

  public init(_ server: MailServer) { self.server = server }

  /// Sends one after another over one connection; what became of each, in the same order.
  ///
  /// Once the server is not there, the rest is not tried, so that this takes half a minute at most then.
  public func send(_ mails: [MailMessage]) async -> [MailFailure?] {
    let server = server
    return await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Self.send(mails, to: server)) }
    }
  }

  private static func send(_ mails: [MailMessage], to server: MailServer) -> [MailFailure?] {
    guard let handle = SMTPHandle(server) else {
      let failure = MailFailure(
        description: "libcurl does not take the settings of the mail server.", hasAnswered: false)
      return mails.map { _ in failure }
    }
    var outcomes: [MailFailure?] = []
    var absence: MailFailure?
    for mail in mails {
      if let absence {
        outcomes.append(absence)
        continue
      }
      do {
        try handle.send(mail)
        outcomes.append(nil)
      } catch {
        outcomes.append(error)
        if !error.hasAnswered { absence = error }
      }
    }
    return outcomes
  }
}
