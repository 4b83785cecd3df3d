import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("Introspection asked again")
struct RepeatedIntrospectionTests {
  private let stage: OpenIDStage
  private let token: String

  init() async throws {
    stage = try await OpenIDStage()
    token = try #require(try await stage.signIn().string("access_token"))
  }

  private func ask(_ token: String? = nil, secret: String? = nil) async -> Response {
    await stage.gatehouse.post(
      "/oauth2/introspect", ["token": token ?? self.token], basic: (stage.client.id, secret ?? stage.client.secret))
  }

  @Test("gets the same answer as long as the token lasts, and not a second longer")
  func same() async throws {
    let first = await ask()
    #expect(try first.json.bool("active") == true)
    #expect(await ask().text == first.text)
    stage.gatehouse.time.advance(by: AccessToken.lifetime - 1)
    #expect(await ask().text == first.text)
    stage.gatehouse.time.advance(by: 1)
    #expect(try await ask().json.bool("active") == false)
  }

  @Test("learns at once what has ended", arguments: ["revoked", "signed out", "account disabled"])
  func ended(way: String) async throws {
    #expect(try await ask().json.bool("active") == true)
    let (account, now) = (stage.person.account.id, stage.gatehouse.time.now)
    switch way {
    case "revoked": _ = await stage.gatehouse.post("/oauth2/revoke", ["token": token], basic: stage.client.basic)
    case "signed out": _ = try await SignOut(stage.gatehouse.here)(account, TestInstallation.visitor)
    default: try await stage.gatehouse.store.write { try $0.setAccount(account, disabled: true, at: now) }
    }
    #expect(try await ask().json.bool("active") == false)
  }

  @Test("is refused to whoever cannot prove to be the client, or could until now")
  func unproven() async throws {
    let rotated = try await ChangeClient(stage.gatehouse.here).rotateSecret(
      of: stage.client.client.id, by: nil, TestInstallation.visitor)
    stage.gatehouse.time.advance(by: try #require(rotated.previousEndsAt) - stage.gatehouse.time.now - 10)
    let late = try #require(try await stage.signIn().string("access_token"))
    #expect(try await ask(late).json.bool("active") == true)
    #expect(await ask(late, secret: "wrong").status == .unauthorized)
    stage.gatehouse.time.advance(by: 10)
    #expect(await ask(late).status == .unauthorized)
    #expect(try await ask(late, secret: rotated.secret.revealedText).json.bool("active") == true)
    try await stage.gatehouse.change(.disable, stage.client)
    #expect(await ask(late, secret: rotated.secret.revealedText).status == .unauthorized)
  }

  @Test("is refused when the same bytes are no form, or say something else beside the header")
  func differs() async throws {
    #expect(await ask().status == .ok)
    let basic = FieldValue(
      "Basic \(TestInstallation.base64(Array("\(stage.client.id):\(stage.client.secret)".utf8)))")
    func send(_ type: FieldValue, _ body: String) async throws -> Response {
      await stage.gatehouse.send(
        .post, "/oauth2/introspect", headers: ["content-type": type, "authorization": try #require(basic)],
        body: Array(body.utf8))
    }
    #expect(try await send("application/x-www-form-urlencoded", "token=\(token)").status == .ok)
    #expect(try await send("text/plain", "token=\(token)").error == "invalid_request")
    #expect(
      try await send("application/x-www-form-urlencoded", "token=\(token)&client_secret=x").error == "invalid_request")
  }
}

@Suite("Userinfo asked again")
struct RepeatedUserInfoTests {
  private let stage: OpenIDStage
  private let token: String

  init() async throws {
    stage = try await OpenIDStage()
    token = try #require(try await stage.signIn().string("access_token"))
  }

  private func ask(_ path: String = "/oauth2/userinfo", scheme: String = "Bearer") async throws -> Response {
    let field = try #require(FieldValue("\(scheme) \(token)"))
    return await stage.gatehouse.send(.get, path, headers: ["authorization": field])
  }

  @Test("gets the same answer as long as the token lasts, and not a second longer")
  func same() async throws {
    let first = try await ask()
    #expect(first.status == .ok)
    #expect(try await ask().text == first.text)
    stage.gatehouse.time.advance(by: AccessToken.lifetime - 1)
    #expect(try await ask().text == first.text)
    stage.gatehouse.time.advance(by: 1)
    #expect(try await ask().status == .unauthorized)
  }

  @Test(
    "learns at once what has ended",
    arguments: ["revoked", "signed out", "account disabled", "client disabled"])
  func ended(way: String) async throws {
    #expect(try await ask().status == .ok)
    let (account, now) = (stage.person.account.id, stage.gatehouse.time.now)
    switch way {
    case "revoked": _ = await stage.gatehouse.post("/oauth2/revoke", ["token": token], basic: stage.client.basic)
    case "signed out": _ = try await SignOut(stage.gatehouse.here)(account, TestInstallation.visitor)
    case "account disabled":
      try await stage.gatehouse.store.write { try $0.setAccount(account, disabled: true, at: now) }
    default: try await stage.gatehouse.change(.disable, stage.client)
    }
    #expect(try await ask().status == .unauthorized)
  }

  @Test("is refused when the token stands in the query, too, or comes by another scheme")
  func differs() async throws {
    #expect(try await ask().status == .ok)
    #expect(try await ask("/oauth2/userinfo?access_token=\(token)").error == "invalid_request")
    #expect(try await ask(scheme: "DPoP").status == .unauthorized)
    #expect(try await ask(scheme: "Basic").status == .unauthorized)
  }
}
