import Domain
import FileSystem
import Flows
import HTTP
import JSON
import Pages
import Testing

@testable import Web

@Suite("The description of the API")
struct OpenAPITests {
  @Test("names exactly the endpoints for apps, each with its methods")
  func matchesTheRoutes() async throws {
    let desk = try await TestInstallation().desk()
    let described = try Self.document["paths"].flatMap(\.object) ?? []
    let paths = Set(
      described.flatMap { path in
        (path.value.object ?? []).map(\.name).filter { !["description", "parameters"].contains($0) }
          .map { "\($0.uppercased()) \(path.name)" }
      })
    let routes = App.routes(desk).filter { $0.audience == .apps }
    #expect(paths == Set(routes.map { "\($0.method.name) \(Self.path($0))" }))
  }

  /// The route's path with its variables as OpenAPI writes them.
  private static func path(_ route: Route) -> String {
    route.pattern.map { $0.hasPrefix(":") || $0.hasPrefix("*") ? "/{\($0.dropFirst())}" : "/\($0)" }.joined()
  }

  @Test("names the same reasons for the proxy as the program")
  func describesProxyReasons() throws {
    let schema = try Self.document["components"]?["schemas"]?["Referral"]?["properties"]?["proxy_reason"]
    #expect(schema?.strings("enum") == ProxyReason.allCases.map(\.rawValue))
  }

  @Test("names the same reasons for an interaction as the program")
  func describesReasons() throws {
    let reason = try Self.document["components"]?["schemas"]?["Refusal"]?["properties"]?["reason"]?.strings("enum")
    #expect(reason == ["not_connected", "reauth_required", "insufficient_upstream_scope"])
    #expect(reason?.allSatisfy { Refusal.InteractionReason(rawValue: $0) != nil } == true)
  }

  private static var document: JSONValue {
    get throws {
      let path = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Public/assets"
      let files = try Dictionary(uniqueKeysWithValues: Directory.files(in: path).map { ($0.name, $0.bytes) })
      return try JSONValue(parsing: #require(files["openapi.json"]))
    }
  }
}
