/// Why an upstream did not give what was asked, told apart by what may be done next.
///
/// The texts are for the log and the administrator; they name the upstream and never hold a secret.
public enum UpstreamFailure: Error, Equatable, Sendable {
  /// The upstream refused for good: the person has to sign in again.
  case refused(String)
  /// The upstream refuses our own registration, or may not be called: an administrator has to act; nobody's credential
  /// is at fault.
  case misconfigured(String, isSent: Bool = true)
  /// Nothing was sent, or the upstream is overloaded or down: trying again later may work.
  case transient(String, retryAfter: Int64?, Circumstance = .answered)
  /// The request was sent and no complete answer came: it may have taken effect.
  case ambiguous(String)
  /// The answer is not what the protocol says (HTML, wrong types, a token that does not verify).
  case invalidAnswer(String)

  /// What is known of a request whose failure may pass.
  public enum Circumstance: Sendable {
    /// The upstream answered.
    case answered
    /// No byte of the request left.
    case notSent
    /// The upstream, or what stands before it, says that it cannot work (5xx), or said nothing.
    case down
    /// Somebody else asked, and we did not see what came of it.
    case unseen
  }

  public var text: String {
    switch self {
    case .refused(let text), .misconfigured(let text, _), .transient(let text, _, _), .ambiguous(let text),
      .invalidAnswer(let text):
      text
    }
  }

  /// Whether nothing of the request left, so that the upstream knows nothing of it.
  public var isUnsent: Bool {
    switch self {
    case .transient(_, _, .notSent), .misconfigured(_, isSent: false): true
    case .refused, .misconfigured, .transient, .ambiguous, .invalidAnswer: false
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
