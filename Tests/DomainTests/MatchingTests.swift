import Domain
import Testing

@Suite("Which connection a URL belongs to")
struct MatchingTests {
  private struct Case: Sendable {
    let connections: String
    let url: String
    let winner: String
    let why: String

    init?(_ line: Substring) {
      let cells = line.split(separator: " | ").map { String($0) }
      guard cells.count == 4 else { return nil }
      (connections, url, winner, why) = (cells[0], cells[1], cells[2], cells[3])
    }
  }

  private static let lines = matchingTable.split(separator: "\n").filter { !$0.hasPrefix("#") }

  @Test("as the table of at least a hundred cases says")
  func table() throws {
    var (count, seen) = (0, Set<String>())
    for line in Self.lines {
      let one = try #require(Case(line), "\(line)")
      #expect(try winner(of: one) == one.winner, "\(one.url) among \(one.connections): \(one.why)")
      #expect(seen.insert("\(one.connections) \(one.url)").inserted, "twice: \(line)")
      count += 1
    }
    #expect(count == Self.lines.count && count >= 100, "\(count) cases")
  }

  private func winner(of one: Case) throws -> String {
    let connections = try one.connections.split(separator: "; ").map { try connection(String($0)) }
    guard let url = ResourceURL(one.url) else { return "refused" }
    return Connection.covering(url, among: connections, where: { !$0.isDisabled })?.0.id.text ?? "none"
  }

  /// Reads `name=pattern,pattern`, with `:kind` or `-` behind the name.
  private func connection(_ text: String) throws -> Connection {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    let isDisabled = parts[0].hasSuffix("-")
    let words = parts[0].split { $0 == ":" || $0 == "-" }.map(String.init)
    let kind = words.count == 2 ? try #require(Connection.Kind(rawValue: words[1])) : .oauthUser
    var connection = Connection(
      id: try #require(ConnectionID(words[0])), name: words[0], kind: kind, origin: "https://\(words[0]).test",
      clientID: "us", createdAt: Timestamp(seconds: 0))
    // A pattern that is none covers nothing.
    connection.resources = parts[1].split(separator: ",").compactMap {
      ResourcePattern(String($0), allowsEveryHost: true)
    }
    connection.isDisabled = isDisabled
    return connection
  }
}
