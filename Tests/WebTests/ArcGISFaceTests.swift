import Domain
import Flows
import HTTP
import HTTPClient
import HTTPServer
import JSON
import Synchronization
import Testing

@testable import Web

@Suite("Gatehouse in the part of an ArcGIS portal, over a socket and without one")
struct ArcGISFaceTests {
  /// Tells back what it was sent: as JSON, as a file, in fields, and in pieces.
  private static let echo: Server.Handler = { request in
    let token = (request.headers["x-esri-authorization"] ?? request.headers["authorization"] ?? "").dropFirst(7)
    let text =
      #"{"a":"x\#(token)y","b":"http://elsewhere.example/?token=\#(token)","c":"\#(token.dropLast())","d":"\#(token)"}"#
    var headers: Headers = ["content-type": request.path.hasSuffix("json") ? "application/json" : "image/png"]
    if let value = FieldValue("W/\"\(token)\"") { headers.set("etag", value) }
    if let value = FieldValue("2 \(token)") { headers.set("x-esri-ftiles-openaccess", value) }
    let bytes = Array(text.utf8)
    guard request.path.contains("pieces") else {
      return Response(status: .ok, headers: headers, body: .bytes(bytes))
    }
    return Response(
      status: .ok, headers: headers, body: .stream { writer in for byte in bytes { try await writer.write([byte]) } })
  }

  @Test(
    "lets nothing of the upstream's token back to the app", arguments: ["json", "pieces/json", "png", "pieces/png"])
  func echoes(path: String) async throws {
    let seen = Mutex<String?>(nil)
    let stage = try await ProxyStage { request in
      seen.withLock { $0 = request.headers["x-esri-authorization"] ?? request.headers["authorization"] }
      return await Self.echo(request)
    }
    let client = try await stage.gatehouse.client(.public, scope: "arcgis", connections: [stage.connection.id])
    let visitor = TestInstallation.visitor
    try await TakeAppPasswords(stage.gatehouse.here)(
      client.client.id, at: stage.connection.id, by: nil, visitor)
    let password = try await ManageAppPasswords(stage.gatehouse.here).make(
      client.client.id, at: stage.connection.id, by: stage.person.account.id, visitor
    ).password
    let token = try await SignInWithAppPassword(stage.gatehouse.here).token(
      password, client.client, boundTo: nil, lifetime: nil, visitor
    ).token.revealedText
    let face = stage.url("").replacing("/v1/proxy/demo", with: "/demo")
    let answer = try await stage.open(
      "\(face)/servers/\(stage.portal.hostAndPort)/home/files/rest/services/\(path)?f=json", token: token)
    let sent = try #require(seen.withLock { $0?.dropFirst(7) })
    #expect(sent.utf8.count > 16 && answer.status == 200)
    let stars = String(repeating: "*", count: sent.count)
    #expect(
      try await answer.text
        == #"{"a":"x\#(stars)y","b":"http://elsewhere.example/?token=\#(stars)","c":"\#(sent.dropLast())","d":"\#(stars)"}"#
    )
    #expect(!answer.headers.fields.contains { $0.value.text.contains(sent) })
  }

  @Test(
    "what the server refuses before is told as ArcGIS would, also to the page of an app",
    arguments: [
      ("/maps/sharing/rest/../x", 400), ("/sharing/rest/generateToken", 413), ("/maps/servers/a/rest/services?x", 414),
      ("https://gate.example/maps/sharing/rest", 431), ("/maps/sharing/rest/content", 405),
    ])
  func refusals(target: String, status: Int) async throws {
    let gatehouse = try await TestInstallation()
    _ = try await gatehouse.client(.public, scope: "openid")
    let failure = ParseFailure(Status(integerLiteral: status), "reason")
    for origin in ["https://app.example", "https://evil.example", "x y", nil] {
      let answer = try #require(
        await gatehouse.app.refusal(of: RefusedRequest(failure, target: target, origin: origin)))
      #expect(answer.status.code == status)
      let error = try #require(try answer.json["error"])
      #expect(error.integer("code") == Int64(status) && error["details"] != nil && error.string("message") != nil)
      let isOwn = origin == "https://app.example"
      #expect(answer.headers["access-control-allow-origin"] == (isOwn ? "https://app.example" : nil))
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect((answer.headers["allow"] != nil) == (status == 405))
    }
  }

  @Test(
    "what is refused elsewhere keeps the plain form",
    arguments: ["/v1/token", "/", "", "*", "/maps/x/sharing", "http://sharing", "/a/b/servers/sharing", "garbage"])
  func elsewhere(target: String) async throws {
    let gatehouse = try await TestInstallation()
    #expect(
      await gatehouse.app.refusal(of: RefusedRequest(ParseFailure(400, "reason"), target: target, origin: nil)) == nil)
  }
}
