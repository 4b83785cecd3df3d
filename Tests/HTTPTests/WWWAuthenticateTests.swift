import HTTP
import Testing

private typealias Challenge = AuthenticationChallenge

private func read(_ fields: [String]) throws -> [AuthenticationChallenge] {
  var headers = Headers()
  for field in fields { headers.add("www-authenticate", try #require(FieldValue(field))) }
  return headers.challenges
}

@Test(
  "Challenges are read out of one field and of several",
  arguments: [
    (["Basic realm=\"gis\""], [Challenge(scheme: "basic", parameters: ["realm": "gis"])]),
    (["Negotiate", "NTLM"], [Challenge(scheme: "negotiate"), Challenge(scheme: "ntlm")]),
    (["Negotiate, NTLM"], [Challenge(scheme: "negotiate"), Challenge(scheme: "ntlm")]),
    (
      ["Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\""],
      [
        Challenge(scheme: "newauth", parameters: ["realm": "apps", "type": "1", "title": "Login to \"apps\""]),
        Challenge(scheme: "basic", parameters: ["realm": "simple"]),
      ]
    ),
    (
      ["Digest realm=\"a, b\" , qop = \"auth\", algorithm=SHA-256,nonce=\"x==\", Negotiate"],
      [
        Challenge(
          scheme: "digest", parameters: ["realm": "a, b", "qop": "auth", "algorithm": "SHA-256", "nonce": "x=="]),
        Challenge(scheme: "negotiate"),
      ]
    ),
    (
      ["NTLM TlRMTVNTUAACAAAA==, Basic REALM=gis"],
      [
        Challenge(scheme: "ntlm", token: "TlRMTVNTUAACAAAA=="),
        Challenge(scheme: "basic", parameters: ["realm": "gis"]),
      ]
    ),
    ([", ,Basic ,, realm=\"x\", realm=\"y\", ,"], [Challenge(scheme: "basic", parameters: ["realm": "x"])]),
    (["bAsIc"], [Challenge(scheme: "basic")]),
    (["Basic realm=\"\""], [Challenge(scheme: "basic", parameters: ["realm": ""])]),
    // A value that is missing reads as a token68, which may end with equals signs.
    (["Basic realm="], [Challenge(scheme: "basic", token: "realm=")]), ([""], []), ([" , "], []), ([], []),
  ] as [([String], [AuthenticationChallenge])])
func challenges(fields: [String], expected: [AuthenticationChallenge]) throws { #expect(try read(fields) == expected) }

@Test(
  "What is malformed ends its field and takes its challenge with it; what came before counts",
  arguments: [
    ("NTLM, Basic realm=\"open", ["ntlm"]), ("NTLM, Basic realm=\"x\\", ["ntlm"]), ("Basic realm=my site", []),
    ("realm=\"x\"", []), ("=x", []), ("\"Basic\"", []), ("Basic Digest NTLM", []),
    ("Basic/1 realm=x", []), ("NTLM abc realm=x", []), ("Basic realm=\"a\"\"b\"", []), ("NTLM;q=1, Basic realm=x", []),
    ("NTLM TlRM, realm=y", []),
    ("Negotiate,Digest nonce=\"1\" realm=\"2\", Basic", ["negotiate"]),
  ])
func malformed(field: String, schemes: [String]) throws {
  #expect(try read([field]).map(\.scheme) == schemes)
  #expect(try read([field, "Basic realm=\"next\""]).map(\.scheme) == schemes + ["basic"])
}

@Test("A field of the greatest size is read in a moment")
func longest() throws {
  let field = String(repeating: "Basic realm=\"x\", ", count: 1_900)
  #expect(try read([field]).count == 1_900)
  #expect(try read([String(repeating: "a=", count: 16_000)]).isEmpty)
}
