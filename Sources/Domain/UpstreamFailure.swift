/// Why an upstream did not give what was asked, told apart by what may be done next.
///
/// The texts are for the log and the administrator; they name the upstream and never hold a secret.
public enum UpstreamFailure: Error, Equatable, Sendable {
  /// The upstream refused for good: the person has to sign in again.
  case refused(String)
  /// The upstream refuses our own registration: an administrator has to act; nobody's credential is at fault.
  case misconfigured(String)
  /// Nothing was sent, or the upstream is overloaded or down: trying again later may work.
  case transient(String, retryAfter: Int64?)
  /// The request was sent and no complete answer came: it may have taken effect.
  case ambiguous(String)
  /// The answer is not what the protocol says (HTML, wrong types, a token that does not verify).
  case invalidAnswer(String)

  public var text: String {
    switch self {
    case .refused(let text), .misconfigured(let text), .transient(let text, _), .ambiguous(let text),
      .invalidAnswer(let text):
      text
    }
  }

  /// Whether it says nothing about us or what we hold, so that the same question may be answered later.
  public var mayPass: Bool {
    switch self {
    case .transient, .ambiguous, .invalidAnswer: true
    case .refused, .misconfigured: false
    }
  }
}
