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

  @Test("a centre that nobody answers at, and a file that is no keytab, are told apart")
  func failures() async throws {
    let realm = try #require(KerberosRealm("NORRVIK.EXAMPLE", centres: ["127.0.0.1:1"]))
    let tickets = KerberosTickets()
    let owner = KerberosTickets.Owner(credential: "cred_1", generation: 1)
    func failure(_ key: KerberosKey) async -> KerberosFailure? {
      do throws(KerberosFailure) {
        _ = try await tickets.proof(by: key, of: owner, in: realm, forHTTPAt: "localhost")
        return nil
      } catch { return error }
    }
    guard case .unreachable = await failure(.password(Array("x".utf8), of: "ana")) else {
      return #expect(Bool(false), "reached")
    }
    #expect(await failure(.keytab(Array("PK".utf8), of: "ana")) == .invalidKeytab)
    #expect(!tickets.holds("cred_1"))
  }
}
