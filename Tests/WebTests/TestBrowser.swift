import HTTP
import Testing

@testable import Web

/// A browser without scripts: it keeps cookies, fills in forms, and follows redirects only when told.
final class TestBrowser {
  let installation: TestInstallation
  private(set) var cookies: [String: String]
  /// Sent with every request, for example `sec-fetch-site`.
  var headers: Headers = []
  var address = "127.0.0.1"

  init(_ installation: TestInstallation, cookies: [String: String] = [:]) {
    self.installation = installation
    self.cookies = cookies
  }

  /// A browser in which `person` is signed in.
  convenience init(_ installation: TestInstallation, _ person: TestPerson) {
    self.init(installation, cookies: person.cookies)
  }

  func get(_ target: String) async -> Response { await send(.get, target) }

  func head(_ target: String) async -> Response { await send(.head, target) }

  /// Posts fields exactly as given.
  func post(_ target: String, _ fields: QueryItems) async -> Response {
    await send(.post, target, body: fields.body)
  }

  /// Opens the page `page`, and posts `fields` together with the page's own hidden fields.
  ///
  /// The form goes to the page's own path unless `action` names another.
  func submit(_ fields: QueryItems, on page: String, to action: String? = nil) async throws -> Response {
    let opened = await get(page)
    try #require(opened.status == .ok, "\(page) does not open: \(opened.status.code) \(opened.text)")
    return await submit(fields, after: opened, to: action ?? String(page.prefix { $0 != "?" }))
  }

  /// Posts `fields` together with the hidden fields of an opened page.
  func submit(_ fields: QueryItems, after page: Response, to action: String) async -> Response {
    var all = fields
    for name in ["csrf", "ticket", "present", "shown"] { all.append(name, Self.hiddenValue(name, in: page.text)) }
    return await post(action, all)
  }

  /// Follows redirects of our own until a page stands.
  func follow(_ response: Response) async -> Response {
    var response = response
    for _ in 0..<10 {
      guard response.status == .seeOther, let next = response.location, let path = ownPath(next) else { break }
      response = await get(path)
    }
    return response
  }

  /// The value of a hidden field, as it stands in the page.
  static func hiddenValue(_ name: String, in page: String) -> String? {
    guard let mark = page.firstRange(of: "name=\"\(name)\" value=\"") else { return nil }
    return String(page[mark.upperBound...].prefix { $0 != "\"" })
  }

  private func ownPath(_ location: String) -> String? {
    if location.hasPrefix("/") { return location }
    guard location.hasPrefix(TestInstallation.external + "/") else { return nil }
    return String(location.dropFirst(TestInstallation.external.count))
  }

  private func send(_ method: HTTP.Method, _ target: String, body: [UInt8] = []) async -> Response {
    var headers = headers
    let line = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    if let value = FieldValue(line), !line.isEmpty { headers.set("cookie", value) }
    if method == .post { headers.set("content-type", "application/x-www-form-urlencoded") }
    let response = await installation.send(method, target, headers: headers, body: body, from: address)
    for line in response.headers.values(of: "set-cookie") { keep(line) }
    return response
  }

  private func keep(_ line: String) {
    let pair = line.prefix { $0 != ";" }
    guard let equals = pair.firstIndex(of: "=") else { return }
    let name = String(pair[..<equals])
    cookies[name] = line.contains("Max-Age=0") ? nil : String(pair[pair.index(after: equals)...])
  }
}
