import HTTP
import Testing

@Test("Received fields and added ones are one list")
func mixedFields() throws {
  var headers = try head("GET / HTTP/1.1\r\nHost: a.test\r\nX-Two: 1\r\nx-TWO: 2\r\n\r\n").headers
  headers.add("x-two", "3")
  #expect(headers["x-two"] == "1")
  #expect(headers.values(of: "x-two") == ["1", "2", "3"])
  #expect(headers.single("x-two") == nil)
  #expect(headers.single("host") == "a.test")
  headers.set("x-two", "4")
  #expect(headers.fields.map { "\($0.name.text)=\($0.value.text)" } == ["host=a.test", "x-two=4"])
  headers.remove("host")
  #expect(headers["host"] == nil)
}

@Test("A field name is a token", arguments: ["", "a b", "a:", "é", "a\u{0}", "a\r", "a(", "a[", "a\u{7F}", "a@"])
func badNames(name: String) { #expect(FieldName(name) == nil) }

@Test("Every token character may stand in a field name")
func tokenCharacters() {
  let token = "!#$%&'*+-.^_`|~0123456789ABCXYZabcxyz"
  #expect(FieldName(token)?.text == token.lowercased())
  let accepted = (UInt8(0)...127).filter { FieldName(String(UnicodeScalar($0))) != nil }
  #expect(accepted.count == 15 + 10 + 52)
}

@Test("A field value breaks no line", arguments: ["a\r\nb", "a\nb", "a\u{0}", "a\u{7F}", "\u{1}"])
func badValues(value: String) { #expect(FieldValue(value) == nil) }

@Test(
  "gzip is used when the client takes it",
  arguments: [
    ("gzip", true), ("GZIP", true), ("x-gzip", true), ("gzip, deflate, br", true), ("br;q=1.0, gzip;q=0.8", true),
    ("*", true), ("gzip;q=0", false), ("gzip;q=0.000", false), ("*, gzip;q=0", false), ("identity", false),
    ("", false), ("gzip;q=2", false), ("gzip;q=0.0001", false), ("*;q=0", false), ("gzip ; q=0.5", true),
    ("agzip", false), ("gzip;q=", false), ("gzip;q=.5", false), ("gzip;Q=0", false),
  ])
func gzip(field: String, accepts: Bool) throws {
  let value = try #require(FieldValue(field))
  #expect(Headers([.init("accept-encoding", value)]).acceptsGzip == accepts)
}

@Test("Without Accept-Encoding nothing is compressed")
func noEncoding() { #expect(!Headers().acceptsGzip) }

@Test(
  "Accept is weighed, the most specific range first",
  arguments: [
    ("text/html,application/json;q=0.9,*/*;q=0.8", "text/html", 1000),
    ("text/html,application/json;q=0.9,*/*;q=0.8", "application/json", 900),
    ("text/html,application/json;q=0.9,*/*;q=0.8", "image/png", 800),
    ("text/*;q=0.3, text/html;q=0", "text/html", 0), ("text/*;q=0.3", "text/html", 300),
    ("application/json", "text/html", 0),
  ])
func accept(field: String, type: String, weight: Int) throws {
  let value = try #require(FieldValue(field))
  #expect(Headers([.init("accept", value)]).acceptWeight(of: type) == weight)
}

@Test("Languages come best first")
func languages() {
  #expect(WeightedList(["de;q=0.5, fr", "en-GB, es;q=0, it;q=x"]).preferred == ["fr", "en-gb", "de"])
}

@Test(
  "If-None-Match names the tag, weakly compared",
  arguments: [
    (#""abc""#, true), (#"W/"abc""#, true), (#""x", W/"abc""#, true), ("*", true), (#""a,bc", "abc""#, true),
    (#""ab""#, false), ("abc", false), ("", false), (#""abc"#, false), (#""ABC""#, false), (#""x,", "y""#, false),
  ])
func entityTags(field: String, matches: Bool) throws {
  let headers = Headers([.init("if-none-match", try #require(FieldValue(field)))])
  let strong = try #require(EntityTag("abc"))
  let weak = try #require(EntityTag("abc", isWeak: true))
  #expect(strong.matches(headers) == matches)
  #expect(weak.matches(headers) == matches)
}

@Test("An entity tag holds no quote or blank", arguments: ["a\"b", "a b", "a\u{0}", "é"])
func badTags(opaque: String) { #expect(EntityTag(opaque) == nil) }

@Test(
  "Only a UTF-8 form is a form",
  arguments: [
    ("application/x-www-form-urlencoded", true), ("Application/X-WWW-Form-URLEncoded; charset=UTF-8", true),
    ("application/x-www-form-urlencoded;charset=\"utf-8\"", true), ("application/x-www-form-urlencoded; a=b", true),
    ("application/x-www-form-urlencoded;", true),
    ("application/x-www-form-urlencoded; charset=iso-8859-1", false), ("multipart/form-data; boundary=x", false),
    ("application/x-www-form-urlencoded, text/plain", false), ("application/x-www-form-urlencodedx", false),
    ("application/x-www-form-urlencoded; charset=utf-8; charset=utf-16", false), ("", false), ("application", false),
    ("application/x-www-form-urlencoded; charset", false), ("/x", false), ("a/", false), ("text/plain", false),
  ])
func forms(field: String, isForm: Bool) throws {
  let headers = Headers([.init("content-type", try #require(FieldValue(field)))])
  #expect((headers.contentType?.isForm ?? false) == isForm)
}

@Test("Two content types are none")
func twoTypes() {
  #expect((["content-type": "text/plain", "content-type": "text/plain"] as Headers).contentType == nil)
}
