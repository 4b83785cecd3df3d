import Glibc
import Testing

@testable import Kerberos

@Suite("Kerberos", .timeLimit(.minutes(1)))
struct KerberosTests {
  @Test(
    "a realm and its centres are names, and nothing that could say more to the library",
    arguments: [
      ("NORRVIK.EXAMPLE", ["kdc.norrvik.example:88"], true), ("NORRVIK.EXAMPLE", [], true), ("", [], false),
      ("NORRVIK\n[realms]", [], false), ("NORRVIK.EXAMPLE", ["kdc }"], false), ("NORRVIK.EXAMPLE", ["kdc:0"], false),
      ("NORRVIK.EXAMPLE", ["kdc:88:1"], false), ("NORRVIK.EXAMPLE", [""], false),
    ])
  func names(realm: String, centres: [String], isRight: Bool) {
    #expect((KerberosRealm(realm, centres: centres) != nil) == isRight)
  }

  @Test("a centre that nobody answers at shows as that, however many ask, and leaves no tickets")
  func unreachable() async throws {
    let realm = try #require(KerberosRealm("NORRVIK.EXAMPLE", centres: ["127.0.0.1:1"]))
    let tickets = KerberosTickets()
    let failures = await withTaskGroup(of: KerberosFailure?.self) { group in
      for number in 0..<8 {
        group.addTask {
          do throws(KerberosFailure) {
            _ = try await tickets.proof(
              by: .password(Array("x".utf8), of: "ana"), of: .init(credential: "cred_1", generation: Int64(number)),
              in: realm, forHTTPAt: "localhost")
            return nil
          } catch { return error }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for failure in failures {
      // Not that there is no centre: each context has its own configuration, and keeps it.
      guard case .unreachable(let text) = failure, text.hasPrefix("Cannot contact") else {
        Issue.record("\(String(describing: failure))")
        continue
      }
    }
    #expect(!tickets.holds("cred_1"))
  }

  @Test("one realm's silent centres leave places for others")
  func places() async throws {
    let threads = KerberosThreads(most: 4, ofOneRealm: 3)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          _ = try await threads.run(for: "SILENT", within: .seconds(30)) { () throws(KerberosFailure) in sleep(1) }
        }
      }
      try await Task.sleep(for: .milliseconds(300))
      await #expect(throws: KerberosFailure.self) {
        try await threads.run(for: "SILENT", within: .seconds(30)) { () throws(KerberosFailure) in }
      }
      let answer = try await threads.run(for: "OTHER", within: .seconds(30)) { () throws(KerberosFailure) in 7 }
      #expect(answer == 7)
      try await group.waitForAll()
    }
    _ = try await threads.run(for: "SILENT", within: .seconds(30)) { () throws(KerberosFailure) in }
  }
}
