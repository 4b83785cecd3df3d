import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("The administration: connections to an application proxy") struct AdminProxyConnectionTests {
  private static let tenant = "6f0c1a52-9d3b-4a7e-8c21-5b1d7e3f9a04"

  private func start() async throws -> (TestInstallation, TestBrowser) {
    let installation = try await TestInstallation()
    return (installation, TestBrowser(installation, try await installation.administrator()))
  }

  /// A filled-in form; what it says of the proxy is in `changes`.
  private func fields(_ changes: [String: String]) -> QueryItems {
    let values = ["kind": "iap", "name": "City proxy", "id": "entra", "admission": "invited"]
    var items = QueryItems()
    for (name, value) in values.merging(changes, uniquingKeysWith: { _, new in new }).sorted(by: { $0.key < $1.key }) {
      items.append(name, value)
    }
    return items
  }

  private func file(_ origin: String, _ changes: [String: JSONValue] = [:], without: String = "") -> String {
    let root = "\(origin)/\(Self.tenant)/oauth2/v2.0"
    let good: [String: JSONValue] = [
      "authorize_url": .string(root + "/authorize"), "token_url": .string(root + "/token"),
      "logout_url": .string(root + "/logout"), "client_id": "app-1", "redirect_url": "auth://app",
      "scope": ["app-1/.default", "openid", "offline_access"], "hosts_behind_proxy": ["*.contoso.com"],
      "authorization_prompt_type": "login",
    ]
    let members = good.merging(changes) { _, new in new }.filter { $0.key != without }
    let json = JSONValue.object(members.map { .init($0.key, $0.value) })
    return String(decoding: json.encoded(), as: UTF8.self)
  }

  @Test("take the SDKs' file as it is, and show what stands in it")
  func file() async throws {
    let (installation, browser) = try await start()
    let portal = try TestPortal()
    let login = "http://login.localhost:\(portal.hostAndPort.split(separator: ":").last ?? "")"
    let answer = try await browser.submit(
      fields(["config": file(login), "resources": "https://gis.example/part"]), on: "/admin/connections/new")
    #expect(answer.status == .seeOther, "\(answer.text)")
    let stored = try #require(try await installation.store.read { try $0.connections().first })
    #expect(stored.kind == .iap && stored.clientID == "app-1" && stored.origin == "\(login)/\(Self.tenant)/v2.0")
    #expect(stored.resources.map(\.text) == ["https://gis.example/part", "*.contoso.com"])
    #expect(stored.iap?.prompt == "login" && stored.iap?.logoutURL.hasSuffix("/logout") == true)
    let page = await browser.follow(answer).text
    for text in [
      "Microsoft Entra Application Proxy", "\(login)/\(Self.tenant)/oauth2/v2.0/token", "app-1/.default",
      "*.contoso.com",
      "http://localhost:8080/callback/entra", "http://localhost:8080/signed-out", "Behind the proxy",
    ] { #expect(page.contains(text), "\(text)") }
    await portal.stop()
  }

  @Test("say everything that is wrong with the file at once, and never give a secret in it back")
  func wrongFile() async throws {
    let (_, browser) = try await start()
    let text = file("https://login.example", ["client_secret": "s3cr3t", "scope": "", "x": 1], without: "token_url")
    let answer = try await browser.submit(fields(["config": text]), on: "/admin/connections/new")
    #expect(answer.status == 422)
    for words in ["token_url is missing.", "scope is missing.", "There is no key x.", "client secret again"] {
      #expect(answer.text.contains(words), "\(words)")
    }
    #expect(!answer.text.contains("s3cr3t") && answer.text.contains("id=\"config-error\""))
  }

  @Test(
    "are refused with the mistake at its field",
    arguments: [
      ([:], "config"), (["config": "{}", "tenant": "contoso.com"], "tenant"), (["tenant": "contoso"], "tenant"),
      (["tenant": "contoso.com"], "client_id"), (["tenant": "contoso.com", "client_id": "a"], "resources"),
      (["tenant": "contoso.com", "token_url": "https://x"], "token_url"),
      (["tenant": "contoso.com", "client_id": "a", "resources": "*"], "resources"),
      (["tenant": "contoso.com", "client_id": "a", "resources": "a.b", "prompt": "x"], "prompt"),
      (["tenant": "contoso.com", "client_id": "a", "resources": "a.b", "tenants": "x"], "tenants"),
      (["authorize_url": "https://login.example/t/oauth2/v2.0/authorize", "client_id": "a"], "logout_url"),
      (["authorize_url": "ftp://x", "client_id": "a"], "authorize_url"),
    ] as [([String: String], String)])
  func mistakes(changes: [String: String], field: String) async throws {
    let (installation, browser) = try await start()
    let answer = try await browser.submit(fields(changes), on: "/admin/connections/new")
    #expect(answer.status == 422)
    #expect(answer.text.contains("id=\"\(field)-error\""), "\(answer.text)")
    #expect(try await installation.store.read { try $0.connections().isEmpty })
  }

  @Test("cover every host only when that is confirmed")
  func everyHost() async throws {
    let (installation, browser) = try await start()
    let portal = try TestPortal()
    let login = "http://login.localhost:\(portal.hostAndPort.split(separator: ":").last ?? "")"
    let text = file(login, ["hosts_behind_proxy": ["*"]])
    let refused = try await browser.submit(fields(["config": text]), on: "/admin/connections/new")
    #expect(refused.status == 422 && refused.text.contains("every host"))
    let answer = try await browser.submit(fields(["config": text, "every_host": "1"]), on: "/admin/connections/new")
    #expect(answer.status == .seeOther, "\(answer.text)")
    #expect(try await installation.store.read { try $0.connections().first?.resources.map(\.text) } == ["*"])
    await portal.stop()
  }
}
