import Domain
import Flows
import HTTP
import Pages

/// The field that asks whether a connection covers a URL: `match_url`, and what is said of it: `match`.
struct MatchField: Sendable {
  private(set) var slots: PageContext.Object = ["match": .none]
  /// What was typed, or empty.
  let typed: String

  /// Asks nothing.
  init() { typed = "" }

  /// Asks about what `query` holds, if it holds anything; a URL that is none is refused in `form`.
  init(_ query: Form, _ connection: Connection, _ here: Installation, _ form: inout PageForm) async throws {
    typed = (query["match_url"] ?? "").trimmed
    form.fill("match_url", with: typed)
    guard !typed.isEmpty else { return }
    guard let url = ResourceURL(typed) else {
      form.refuse("match_url", "Enter a whole http or https URL without user and fragment, like \(Self.example).")
      return
    }
    let match = try await here.match(url, connection)
    slots = ["match": ["covers": .flag(match.winner == connection.id), "text": .text(match.words(for: connection))]]
  }

  private static let example = "https://maps.example.org/server/rest/services/Roads"
}

extension URLMatch {
  /// What the administrator reads.
  fileprivate func words(for connection: Connection) -> String {
    let rival = others.first { $0.connection.id == winner } ?? others.first
    let rivalWords = rival.map { "\($0.connection.name) (\($0.pattern.text))" } ?? ""
    guard let own else {
      let none = "No: no pattern of this connection covers it"
      if rival == nil { return "\(none), nor does any other connection." }
      return winner == nil
        ? "\(none). Several others cover it equally well, one of them \(rivalWords)."
        : "\(none). It belongs to \(rivalWords)."
    }
    let covered = "\(own.pattern.text) covers it"
    if winner == connection.id {
      let state = connection.isDisabled ? " The connection is switched off." : ""
      return "Yes: \(covered). No other connection is chosen before this one.\(state)"
    }
    return winner == nil
      ? "Undecided: \(covered), and so does \(rivalWords). A client that may use both has to name one."
      : "No: \(covered), but \(rivalWords) is chosen before it."
  }
}
