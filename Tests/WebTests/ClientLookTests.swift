import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("The look of a client's pages") struct ClientLookTests {
  private let stage: OpenIDStage
  private let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    + [UInt8](repeating: 1, count: 64)

  init() async throws { stage = try await OpenIDStage() }

  private func change(
    accent: ChangeClientLook.Part<String> = .keep, logo: ChangeClientLook.Part<[UInt8]> = .keep
  ) async throws {
    try await ChangeClientLook(stage.gatehouse.here)(
      stage.client.client.id, accent: accent, logo: logo, by: nil, TestInstallation.visitor)
  }

  private func get(_ path: String) async -> Response { await stage.gatehouse.send(.get, path) }

  @Test("is its colour and its logo, at addresses that change with it; without one there is nothing")
  func answers() async throws {
    let path = "/apps/\(stage.client.id)"
    #expect(await get("\(path)/style.css").status == .notFound)
    #expect(await get("\(path)/logo.png").status == .notFound)
    try await change(accent: .set("#1f4e79"), logo: .set(png))
    let style = await get("\(path)/style.css")
    #expect(style.status == .ok && style.text.contains("--accent:#1f4e79"))
    #expect(style.headers["content-type"] == "text/css; charset=utf-8")
    let logo = await get("\(path)/logo.png")
    #expect(logo.status == .ok && logo.content == png && logo.headers["content-type"] == "image/png")
    #expect(logo.headers["x-content-type-options"] == "nosniff")
    try await change(logo: .remove)
    #expect(await get("\(path)/style.css").status == .ok)
    #expect(await get("\(path)/logo.png").status == .notFound)
    try await change(accent: .remove)
    let left = try await stage.gatehouse.store.read { try $0.look(of: stage.client.client.id) }
    #expect(left == nil)
  }

  @Test(
    "is refused when it is no colour, no PNG image, or too heavy",
    arguments: ["red", "#12345", "#12345g", "#1f4e79}body{display:none"])
  func refused(colour: String) async throws {
    await #expect(throws: ChangeClientLook.Objections.self) { try await change(accent: .set(colour)) }
    await #expect(throws: ChangeClientLook.Objections.self) { try await change(logo: .set(Array("<svg/>".utf8))) }
    let heavy = png + [UInt8](repeating: 0, count: ClientLook.longestLogo)
    await #expect(throws: ChangeClientLook.Objections.self) { try await change(logo: .set(heavy)) }
    #expect(await get("/apps/\(stage.client.id)/style.css").status == .notFound)
  }

  @Test("stands on the sign-in and the consent that the client asks for, and on no other page")
  func pages() async throws {
    _ = try await stage.gatehouse.administrator()
    try await change(accent: .set("#1f4e79"), logo: .set(png))
    let (style, logo) = ("/apps/\(stage.client.id)/style.css?v=", "/apps/\(stage.client.id)/logo.png?v=")
    let fields = stage.gatehouse.authorization(stage.client)
    for browser in [TestBrowser(stage.gatehouse), TestBrowser(stage.gatehouse, stage.person)] {
      let page = await browser.follow(await browser.get(fields.appended(to: "/oauth2/authorize")))
      #expect(page.status == .ok && page.text.contains(style) && page.text.contains(logo))
    }
    let other = await get("/signin")
    #expect(other.status == .ok && !other.text.contains("/apps/"))
  }

  @Test("is given and taken on the client's page in the administration")
  func administration() async throws {
    let browser = TestBrowser(stage.gatehouse, try await stage.gatehouse.administrator())
    let (page, form) = ("/admin/clients/\(stage.client.id)", "/admin/clients/\(stage.client.id)/look")
    #expect(try await browser.submit(["accent": "#1f4e79"], on: page, to: form).status == .seeOther)
    #expect(await browser.get(page).text.contains("value=\"#1f4e79\""))
    let refused = try await browser.submit(["accent": "blue"], on: page, to: form)
    #expect(refused.status == 422 && refused.text.contains("value=\"blue\""))
    #expect(try await browser.submit(["accent": ""], on: page, to: form).status == .seeOther)
    let left = try await stage.gatehouse.store.read { try $0.look(of: stage.client.client.id) }
    #expect(left == nil)
  }
}

extension Response {
  fileprivate var content: [UInt8] { if case .bytes(let bytes) = body { bytes } else { [] } }
}
