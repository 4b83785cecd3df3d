import JSON
import Testing

@Suite("Writing JSON") struct JSONWriterTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("writes members with commas between them") func members() {
    let bytes = JSONWriter.object {
      $0.member("access_token", "abc")
      $0.member("expires_in", 300)
      $0.member("scope", ifPresent: String?.none)
      $0.member("aud", ["a", "b"])
      $0.object("cnf") { $0.member("jkt", "x") }
      $0.array("none") { _ in }
      $0.member("ok", true)
      $0.member("half", 0.5)
      $0.member("nested", ["z": nil])
    }
    #expect(
      text(bytes)
        == #"{"access_token":"abc","expires_in":300,"aud":["a","b"],"cnf":{"jkt":"x"},"none":[],"ok":true,"#
        + #""half":0.5,"nested":{"z":null}}"#)
  }

  @Test("escapes what must be escaped and nothing else") func escapes() throws {
    let value = JSONValue.string("\"\\\u{0}\u{1F}\n\r\t/<>&é🎈\u{2028}")
    #expect(text(value.encoded()) == "\"\\\"\\\\\\u0000\\u001f\\n\\r\\t/<>&é🎈\u{2028}\"")
    #expect(try JSONValue(parsing: value.encoded()) == value)
  }

  @Test("lays out for people") func pretty() {
    let value: JSONValue = ["a": [1, ["b": "c"]], "e": [:], "l": []]
    #expect(
      text(value.encoded(layout: .pretty)) == """
        {
          "a": [
            1,
            {
              "b": "c"
            }
          ],
          "e": {},
          "l": []
        }
        """)
  }

  @Test("writes null for what JSON cannot say") func notFinite() {
    #expect(text(JSONValue.array([.number(.infinity), .number(.nan)]).encoded()) == "[null,null]")
  }

  @Test("takes over values that are encoded already") func encoded() {
    let bytes = JSONWriter.object {
      $0.name("keys")
      $0.value(encoded: Array("[1]".utf8))
      $0.member("x", 1)
    }
    #expect(text(bytes) == #"{"keys":[1],"x":1}"#)
  }
}
