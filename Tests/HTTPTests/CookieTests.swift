import HTTP
import Testing

private func cookies(_ lines: String...) -> Cookies {
  var headers = Headers()
  for line in lines { FieldValue(line).map { headers.add("cookie", $0) } }
  return Cookies(headers)
}

@Test("Cookies are found among others")
func found() {
  let cookies = cookies("a=1; __Host-gh_s=x=y;b=;c", "d = 4 ")
  #expect(cookies["a"] == "1")
  #expect(cookies["__Host-gh_s"] == "x=y")
  #expect(cookies["b"] == "")
  #expect(cookies["c"] == nil)
  #expect(cookies["d"] == "4")
  #expect(cookies["A"] == nil)
}

@Test("A name sent twice is absent, wherever the two stand")
func duplicates() {
  #expect(cookies("s=1; s=1")["s"] == nil)
  #expect(cookies("s=1", "s=2")["s"] == nil)
  #expect(cookies("s=1; S=2")["s"] == "1")
  #expect(cookies("s=1; s=2").isRepeated("s"))
}

@Test("Odd cookie lines hold nothing", arguments: ["", "===;;;", ";", "=", "s", "; ;"])
func odd(line: String) { #expect(cookies(line)["s"] == nil) }

@Test("A cookie has the safe attributes")
func setCookie() throws {
  var attributes = SetCookie.Attributes()
  #expect(try #require(SetCookie("__Host-s", "v")).text == "__Host-s=v; Path=/; Secure; HttpOnly; SameSite=Lax")
  attributes.sameSite = .strict
  attributes.maxAge = 600
  attributes.isSecure = false
  attributes.path = "/gate"
  let plain = try #require(SetCookie("s", "", attributes))
  #expect(plain.text == "s=; Path=/gate; Max-Age=600; HttpOnly; SameSite=Strict")
  var headers = Headers()
  headers.add(plain)
  headers.add(plain)
  #expect(headers.values(of: "set-cookie").count == 2)
}

@Test(
  "A cookie that a browser would refuse or misread cannot be made",
  arguments: [
    ("a b", "v"), ("", "v"), ("a", "v;w"), ("a", "v w"), ("a", "v,w"), ("a", "é"), ("a", "\"v\""), ("a;", ""),
  ])
func badCookie(name: String, value: String) { #expect(SetCookie(name, value) == nil) }

@Test("The name prefixes keep their promise")
func prefixes() {
  var attributes = SetCookie.Attributes()
  attributes.path = "/x"
  #expect(SetCookie("__Host-a", "v", attributes) == nil)
  #expect(SetCookie("__Secure-a", "v", attributes) != nil)
  attributes.isSecure = false
  #expect(SetCookie("__Secure-a", "v", attributes) == nil)
  attributes.path = "x"
  #expect(SetCookie("a", "v", attributes) == nil)
  #expect(SetCookie("a", String(repeating: "v", count: 4096)) == nil)
}
