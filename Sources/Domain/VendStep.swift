/// One question that decides a vend, with what was found: the trace of a decision is a list of them.
public struct VendStep: Sendable, Equatable {
  /// What is asked, in the order in which a vend asks it.
  public enum Question: String, Sendable, CaseIterable {
    case client
    case grant
    case allowlist
    case url
    case person
    case connection
    case permission
    case key
    case pinned
    case consent
    case unattendedConsent = "unattended_consent"
    case layers
    case credential
    case upstream
    case limits
    case outcome
  }

  public enum Answer: String, Sendable, CaseIterable {
    /// Nothing stands in the way.
    case passed
    /// Found beside it; it decides nothing.
    case noted
    /// Here the vend ends.
    case refused
  }

  public let question: Question
  public let answer: Answer
  /// One sentence for an administrator; it names what a client is never told.
  public let finding: String

  public init(_ question: Question, _ answer: Answer, _ finding: String) {
    self.question = question
    self.answer = answer
    self.finding = finding
  }
}
