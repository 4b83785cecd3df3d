import HTTP
import Testing

private func form(_ text: String) throws -> Form { try Form(Array(text.utf8)) }

@Test("A form is decoded once")
func decoded() throws {
  let form = try form("a=1+2%2B%C3%A9&b=&c&d=x%3Dy=z&%61%62=%2541&&")
  #expect(form["a"] == "1 2+é")
  #expect(form["b"] == "")
  #expect(form["c"] == "")
  #expect(form["d"] == "x=y=z")
  #expect(form["ab"] == "%41")
  #expect(form["missing"] == nil)
  #expect(form.fields.count == 5)
}

@Test("An empty value counts as absent where OAuth reads it")
func empty() throws {
  let form = try form("scope=&state=x")
  #expect(form.nonEmpty("scope") == nil)
  #expect(form.nonEmpty("state") == "x")
  #expect(form.nonEmpty("missing") == nil)
}

@Test("A repeated parameter reads as absent and is told apart")
func repeated() throws {
  let form = try form("a=1&b=2&a=1&resource=x&resource=&resource=y")
  #expect(form["a"] == nil)
  #expect(form.isRepeated("a"))
  #expect(!form.isRepeated("b"))
  #expect(form.repeatedName(except: ["resource"]) == "a")
  #expect(form.repeatedName(except: ["resource", "a"]) == nil)
  #expect(form.values(of: "resource") == ["x", "y"])
}

@Test("A name is repeated in any spelling")
func respelled() throws { #expect(try form("a=1&%61=2").isRepeated("a")) }

@Test(
  "A malformed form is refused with the number of the field",
  arguments: ["a=%", "a=%4", "a=%G1", "%zz=1", "a=%FF", "a=%C0%AF", "a=%00", "a=\u{0}", "a=%ED%A0%80"])
func malformed(text: String) {
  #expect(throws: FormFailure.malformed(2)) { try form("x=1&" + text) }
}

@Test("A form keeps to its limits")
func limits() throws {
  let many = (1...64).map { "p\($0)=v" }.joined(separator: "&")
  #expect(try form(many).fields.count == 64)
  #expect(throws: FormFailure.tooManyFields(64)) { try form(many + "&p=v") }
  #expect(throws: FormFailure.tooLong(1, limit: 128)) { try form(String(repeating: "n", count: 129) + "=v") }
  #expect(throws: FormFailure.tooLong(1, limit: 65_536)) { try form("n=" + String(repeating: "v", count: 65_537)) }
  var limits = Form.Limits()
  limits.valueBytes = 1
  #expect(throws: FormFailure.tooLong(2, limit: 1)) { try Form(query: "a=1&b=22", limits: limits) }
}

@Test("What is written as a query is read as a form")
func roundTrip() throws {
  let value = "ä &=+%?#/\"\n~"
  let items: QueryItems = ["n m": value, "none": nil, "empty": ""]
  #expect(items.encoded == "n%20m=%C3%A4%20%26%3D%2B%25%3F%23%2F%22%0A~&empty=")
  let form = try Form(items.body)
  #expect(form["n m"] == value)
  #expect(form["none"] == nil)
  #expect(form["empty"] == "")
}

@Test(
  "Items join the query a URL has",
  arguments: [
    ("https://a.test/cb", "https://a.test/cb?code=1"), ("https://a.test/cb?x=y", "https://a.test/cb?x=y&code=1"),
    ("https://a.test/cb?", "https://a.test/cb?code=1"), ("https://a.test/cb?x&", "https://a.test/cb?x&code=1"),
  ])
func appended(url: String, whole: String) {
  #expect((["code": "1"] as QueryItems).appended(to: url) == whole)
}

@Test("No items leave a URL as it is")
func noItems() { #expect(QueryItems().appended(to: "https://a.test/") == "https://a.test/") }
