import Domain
import Testing

@Suite("People")
struct PeopleRuleTests {
  @Test(
    "a password is refused when it is short, huge, regular or names the user",
    arguments: [
      ("", "ana"), ("short", "ana"), ("14 characters!", "ana"), (String(repeating: "a", count: 20), "ana"),
      ("abababababababab", "ana"), (String(repeating: "abcdefghij", count: 103), "ana"),
      ("my name is Benjamin ok", "benjamin"), ("my name is BENJAMIN ok", "benjamin"),
      (String(repeating: "\u{1F600}", count: 15), "ana"),
    ])
  func refusesPassword(password: String, username: String) {
    #expect(LocalPassword.objection(to: password, username: username) != nil)
  }

  @Test(
    "a long password that is guessed early is refused",
    arguments: [
      "password1234567", "Passw0rd!!!!!!!!2026", "iloveyouiloveyou", "monkeydragon2026!", "qwertyuiopasdfghjkl",
      "1q2w3e4r5t6y7u8i9o0p", "1234567890123456", "abcdefghijklmnopqrst", "kartof1kartof1kartof1",
      "correct horse battery staple", "98765432109876543210",
    ])
  func refusesCommonPassword(password: String) {
    #expect(LocalPassword.objection(to: password, username: "ana") != nil)
  }

  @Test(
    "a password of fifteen characters may be used, whatever they are",
    arguments: [
      ("correct horse b", "ana"), ("correct battery staple horse", ""), ("b\u{E4}ume wachsen hoch", "ana"),
      ("banana bananas and more", "ana"), ("password of the old harbour", "ana"), ("k2#vQ9!xTz4$mLp7w", "ana"),
      (String(repeating: "tall trees grow ", count: 64), "ana"),
    ])
  func acceptsPassword(password: String, username: String) {
    #expect(LocalPassword.objection(to: password, username: username) == nil)
  }

  @Test(
    "a user name is folded to lower case without blanks around it",
    arguments: [
      (" Ana\t", "ana"), ("ANA@Example.org", "ana@example.org"), ("\u{C4}nne", "\u{E4}nne"), ("", ""), ("  ", ""),
    ])
  func folds(typed: String, name: String) { #expect(Username.folded(typed) == name) }

  @Test(
    "a user name has letters, digits and a few marks",
    arguments: [
      ("ana", true), ("ana.b-c_d@example.org+x", true), ("\u{E4}nne", true), ("42", true), ("", false), ("a b", false),
      ("a/b", false), ("a\nb", false), ("a\u{200B}b", false), ("a\u{202E}b", false), ("e\u{301}", false),
      ("a<b", false),
      (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
    ])
  func username(name: String, isFine: Bool) { #expect((Username.objection(to: name) == nil) == isFine) }

  @Test(
    "a session ends after its idle and its absolute limit",
    arguments: [
      (.person, 0, 0, true), (.person, 3599, 3599, true), (.person, 3600, 3600, false), (.person, 0, 86_399, true),
      (.person, 0, 86_400, false), (.administrator, 899, 899, true), (.administrator, 900, 900, false),
      (.administrator, 0, 43_199, true), (.administrator, 0, 43_200, false),
    ] as [(BrowserSession.Kind, Int64, Int64, Bool)])
  func session(kind: BrowserSession.Kind, idle: Int64, age: Int64, isLive: Bool) {
    let session = BrowserSession(
      hash: Samples.hash(1), account: Samples.account, kind: kind, authenticatedAt: Samples.now - age,
      lastSeenAt: Samples.now - idle, userAgent: "")
    #expect(session.isLive(at: Samples.now) == isLive)
    #expect(session.needsTouch(at: Samples.now) == (idle >= 60))
  }

  @Test(
    "who may get an account",
    arguments: [
      (.invited, ["ana"], false), (.listed, [], false), (.listed, ["ana"], true), (.listed, ["sub-1"], true),
      (.listed, ["Ana"], false), (.listed, ["an"], false), (.listed, ["chosen"], false), (.anyone, [], true),
    ] as [(Admission, [String], Bool)])
  func admission(admission: Admission, list: [String], isAdmitted: Bool) throws {
    let identity = UpstreamIdentity(
      connection: try Samples.connection().id, issuer: "https://gis.example.org", subject: "sub-1",
      displayName: "chosen")
    #expect(admission.admits(identity, provenName: "ana", list: list) == isAdmitted)
  }

  @Test("names that only look the same are two people")
  func lookalikes() throws {
    func identity(_ name: String) throws -> UpstreamIdentity {
      UpstreamIdentity(
        connection: try Samples.connection().id, issuer: "https://gis.example.org", subject: name, displayName: "x")
    }
    #expect(try !identity("\u{E9}").isSame(as: identity("e\u{301}")))
    #expect(try identity("\u{E9}").isSame(as: identity("\u{E9}")))
    #expect(try !Admission.listed.admits(identity("\u{E9}"), provenName: "\u{E9}", list: ["e\u{301}"]))
  }

  @Test(
    "an identifier has its own prefix and plain characters",
    arguments: [
      ("acct_3f", true), ("acct_A-b_9", true), ("acct_", false), ("acct", false), ("client_3f", false),
      ("ACCT_3f", false),
      ("acct_a b", false), ("acct_a~b", false), ("acct_a\n", false), ("acct_\u{301}a", false), ("acct_\u{E9}", false),
      ("acct_" + String(repeating: "a", count: 59), true), ("acct_" + String(repeating: "a", count: 60), false),
    ])
  func identifier(text: String, isOne: Bool) { #expect((AccountID(text) != nil) == isOne) }

  @Test(
    "a connection's name can stand in every path",
    arguments: [
      ("maps", true), ("m", true), ("maps-2", true), ("m-", true), ("", false), ("2maps", false), ("-maps", false),
      ("Maps", false), ("ma ps", false), ("ma/ps", false), ("ma.ps", false), ("m\u{E4}ps", false),
      (String(repeating: "m", count: 40), true), (String(repeating: "m", count: 41), false),
    ])
  func connectionName(text: String, isOne: Bool) { #expect((ConnectionID(text) != nil) == isOne) }
}
