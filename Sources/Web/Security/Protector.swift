import Domain
import Flows
import HTTP

/// Whether somebody may change what protects their account.
enum Protector: Sendable {
  case fresh(SignedIn)
  /// They have to sign in first, or once more.
  case mustSignIn(Response)
}

extension Desk {
  /// Who asks to change what protects their account, on `page`.
  func protector(_ call: Call, on page: SecurityPage) async throws -> Protector {
    guard let person = try await person(call), try await here.isFresh(person) else {
      return .mustSignIn(try signInFirst(then: .security(page)))
    }
    return .fresh(person)
  }

  /// The sessions of this browser, as a person and in the administration.
  func sessionsHere(_ call: Call) async throws -> Set<TokenHash> {
    Set([try await person(call), try await administrator(call)].compactMap { $0?.session.hash })
  }

  /// Sends the browser to the overview, which says what was done; only we can make such a link, for one person.
  func securityRedirect(_ person: SignedIn, _ words: String) throws -> Response {
    let query: QueryItems = ["done": here.signed(words, for: Self.purpose(person))]
    return try redirect(to: query.appended(to: SecurityPage.overview.path))
  }

  /// What was just done.
  func securityNotice(_ person: SignedIn, _ call: Call) throws -> String? {
    try call.query()["done"].flatMap { here.signedText($0, for: Self.purpose(person)) }
  }

  private static func purpose(_ person: SignedIn) -> String { "security \(person.account.id)" }
}
