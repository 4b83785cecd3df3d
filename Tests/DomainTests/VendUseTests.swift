import Domain
import Testing

@Suite("What vends are counted by")
struct VendUseTests {
  @Test(
    "a resource counts as the service that it belongs to",
    arguments: [
      ("https://Maps.example/", "https://maps.example"), ("https://maps.example/a", "https://maps.example/a"),
      ("https://maps.example/a/b/c/d/e?f=json", "https://maps.example/a/b/c"),
      ("https://maps.example:8443/a//b", "https://maps.example:8443/a//b"),
      (
        "https://maps.example/server/rest/services/Roads/MapServer/tile/3/2/1",
        "https://maps.example/server/rest/services/Roads/MapServer"
      ),
      (
        "https://maps.example/server/rest/services/City/Plans/FeatureServer/0/query",
        "https://maps.example/server/rest/services/City/Plans/FeatureServer"
      ), ("https://maps.example/a/b/rest/services", "https://maps.example/a/b/rest/services"),
      ("https://maps.example/services/rest/x/y", "https://maps.example/services/rest/x"),
      ("https://maps.example/\(String(repeating: "x", count: 400))", "https://maps.example"),
    ])
  func service(url: String, service: String) throws {
    #expect(try #require(ResourceURL(url)).service == service)
  }

  @Test(
    "a day is written as it is read",
    arguments: ["1970-01-01", "1999-12-31", "2000-02-29", "2026-11-23", "2100-03-01", "9999-12-31"])
  func days(text: String) throws {
    let day = VendUse.day(of: try #require(Timestamp(day: text)))
    #expect(Timestamp.text(ofDay: day) == text)
  }
}
