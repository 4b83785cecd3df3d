import HTTP
import Testing

@testable import HTTPClient

@Suite("Server-side request forgery", .timeLimit(.minutes(1)))
struct ForgeryTests {
  private static let lines = forgeryTable.split(separator: "\n").filter { !$0.hasPrefix("#") }

  @Test("is stopped as the table of at least sixty URLs says")
  func table() async throws {
    let client = try OutboundClient()
    var count = 0
    for line in Self.lines {
      let cells = line.split(separator: " | ").map(String.init)
      try #require(cells.count == 3, "\(line)")
      #expect(try await verdict(on: cells[0], client) == cells[1], "\(cells[0]): \(cells[2])")
      count += 1
    }
    #expect(count == Self.lines.count && count >= 60, "\(count) URLs")
  }

  private func verdict(on url: String, _ client: OutboundClient) async throws -> String {
    let request = OutboundRequest(.get, url)
    do throws(OutboundFailure) { _ = try request.checked() } catch {
      guard case .refusedByPolicy(let refusal) = error else { return "\(error)" }
      if case .url = refusal { return "unreadable" }
      return "refused"
    }
    // Only names of this machine are looked up by a test.
    guard try OutboundURL(url).host.hasSuffix("localhost") else { return "allowed" }
    do throws(OutboundFailure) {
      _ = try await client.send(request)
      return "answered"
    } catch {
      if case .refusedByPolicy(.address(_, .loopback)) = error { return "dialled" }
      return "\(error)"
    }
  }
}
