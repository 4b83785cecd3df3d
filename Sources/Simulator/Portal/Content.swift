internal import JSON

/// The items of the portal: the web map, and the services of the federated server.
enum Content {
  /// The one folder of the one owner; the roads lie in it.
  static let folderID = "7b1f2a90c3d44e5f8a6b0c1d2e3f4a5b"
  static let groupID = "0c9e8d7b6a5f4e3d2c1b0a9f8e7d6c5b"
  static let owner = "simulator"

  static func id(of service: FeatureService) -> String {
    switch service {
    case .traffic: "a1b2c3d4e5f60718293a4b5c6d7e8f90"
    case .roads: "b2c3d4e5f60718293a4b5c6d7e8f90a1"
    }
  }

  static func item(_ service: FeatureService, server: String) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", .string(id(of: service))), .init("owner", .string(owner)), .init("title", .string(service.rawValue)),
      .init("type", "Feature Service"), .init("access", service.isPublic ? "public" : "org"),
      .init("typeKeywords", ["Data", "Service", "Feature Service", "Hosted Service"]),
      .init("created", 1_700_000_000_000), .init("modified", 1_700_000_000_000),
      .init("url", .string("\(server)/rest/services/\(service.rawValue)/FeatureServer")),
    ]
    if service == .roads { members.append(.init("ownerFolder", .string(folderID))) }
    return .object(members)
  }
}

extension Portal {
  /// `/search`, and the content of a user, of their folder, or of a group: the same items, whatever is searched for.
  func listing(_ route: Route, _ call: Call) throws(PortalError) -> JSONValue {
    let token = try holder(of: call, at: .portal)
    let visible = FeatureService.allCases.filter { $0.isPublic || token.map { mayReadItem($0) } ?? false }
    let services = visible.map { Content.item($0, server: call.host.serverURL) }
    switch route.endpoint {
    case .userContent:
      let isFolder = route.names.count == 2
      guard route.names.first == Content.owner, !isFolder || route.names[1] == Content.folderID else {
        throw .notFound("User or folder does not exist or is inaccessible.")
      }
      let items = ([WebMap.item] + services).filter { ($0["ownerFolder"] != nil) == isFolder }
      let folder: JSONValue = [
        "username": .string(Content.owner), "id": .string(Content.folderID), "title": "Roads",
        "created": 1_700_000_000_000,
      ]
      let folders: [JSONValue.Member] = isFolder ? [] : [.init("folders", [folder])]
      return page(items, as: "items", call, [.init("username", .string(Content.owner))], folders)
    case .groupContent:
      guard route.names.first == Content.groupID else { throw .notFound("Group does not exist or is inaccessible.") }
      return page(services, as: "items", call)
    default:
      return page([WebMap.item] + services, as: "results", call, [.init("query", .string(call.parameters["q"] ?? ""))])
    }
  }

  /// Apps' own tokens, and the users that are entitled, see what is not public.
  private func mayReadItem(_ token: AccessToken) -> Bool {
    token.user.map { configuration.user(named: $0)?.isEntitled == true } ?? true
  }

  /// The items from `start` on, `num` at most; 10 where the call does not say.
  private func page(
    _ items: [JSONValue], as name: String, _ call: Call, _ before: [JSONValue.Member] = [],
    _ after: [JSONValue.Member] = []
  ) -> JSONValue {
    let start = max(1, call.parameters["start"].flatMap { Int($0) } ?? 1)
    let most = min(100, max(0, call.parameters["num"].flatMap { Int($0) } ?? 10))
    let shown = Array(items.dropFirst(start - 1).prefix(most))
    let next = start + shown.count
    return .object(
      before + [
        .init("total", .integer(Int64(items.count))), .init("start", .integer(Int64(start))),
        .init("num", .integer(Int64(shown.count))),
        .init("nextStart", .integer(shown.isEmpty || next > items.count ? -1 : Int64(next))),
        .init(name, .array(shown)),
      ] + after)
  }
}
