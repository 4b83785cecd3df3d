import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("Signing somebody else out")
struct AccountSignOutTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let root: TestPerson
  private let person: TestPerson
  private let path: String

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
    root = try await gatehouse.administrator()
    let connection = try await gatehouse.connection(to: portal)
    person = try await gatehouse.person()
    try await gatehouse.connect(person, to: connection, at: portal)
    path = "/admin/accounts/\(person.account.id)/signout"
  }

  @Test("says before what it ends, and afterwards what it did")
  func everything() async throws {
    let administrator = TestBrowser(gatehouse, root)
    let asked = await administrator.get(path)
    for text in ["Sessions: 1", "<bdi>Demo</bdi>", "Will be revoked"] { #expect(asked.text.contains(text), "\(text)") }
    let report = try await administrator.submit([:], on: path)
    for text in [
      "<bdi>Ana</bdi> is signed out", "Sessions: 1", ">Revoked<", "Everything that Gatehouse can do is done",
    ] {
      #expect(report.text.contains(text), "\(text)")
    }
    #expect(
      !report.text.contains("/sharing/rest/oauth2/signout"), "the page of the person's browser is not theirs to visit")
    #expect(await TestBrowser(gatehouse, person).get("/account").location == "/signin")
    #expect(await administrator.get("/admin").status == .ok)
    #expect(try await portal.calls(of: "revokeToken") == 1)
    #expect(try await gatehouse.count("credential") == 0)
    let ended = try #require(try await gatehouse.audit().first { $0.name == .disconnected })
    #expect(ended.account == person.account.id && ended.actor == .account(root.account.id))
  }

  @Test("can keep the services, and tells what is still to be confirmed")
  func parts() async throws {
    let administrator = TestBrowser(gatehouse, root)
    let kept = try await administrator.submit(["keep": "1"], on: path)
    #expect(kept.text.contains(">Kept<"))
    #expect(try await gatehouse.count("credential") == 1)
    await portal.fault("status", at: "revokeToken", value: 503)
    let report = try await administrator.submit([:], on: path)
    #expect(report.text.contains(">Retrying<") && report.text.contains("Not everything is finished"))
    #expect(try await gatehouse.count("revocation") == 1)
  }

  @Test("is not the way to sign oneself out, and needs somebody")
  func refused() async throws {
    let administrator = TestBrowser(gatehouse, root)
    #expect(await administrator.get("/admin/accounts/\(root.account.id)/signout").status == .badRequest)
    #expect(await administrator.get("/admin/accounts/acct_nobody/signout").status == .notFound)
    #expect(!(await administrator.get("/admin/accounts").text.contains("\(root.account.id)/signout")))
  }
}
