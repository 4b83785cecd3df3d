internal import JSON

/// The traffic map that Esri's samples "Authenticate with OAuth" and "Authenticate with
/// token" open, here with the federated server's layers.
enum WebMap {
  static let itemID = "e5039444ef3c48b8a8fdc9227f9be7c1"

  static let item: JSONValue = [
    "id": .string(itemID), "owner": "simulator", "title": "Traffic", "type": "Web Map", "access": "public",
    "typeKeywords": ["Map", "Web Map"], "created": 1_700_000_000_000, "modified": 1_700_000_000_000,
    "snippet": "A public base layer below a protected traffic layer. Simulated.", "tags": ["traffic"],
    "extent": [[-118.7, 33.6], [-117.6, 34.4]], "spatialReference": "102100",
  ]

  /// The item's data; the layers are those of the server at `server`.
  static func data(server: String) -> JSONValue {
    [
      "operationalLayers": [layer("traffic", "Traffic", at: server)],
      "baseMap": ["title": "Roads", "baseMapLayers": [layer("roads", "Roads", at: server)]],
      "spatialReference": ["wkid": 102100, "latestWkid": 3857],
      "version": "2.29", "authoringApp": "upstream-simulator", "authoringAppVersion": "1",
    ]
  }

  private static func layer(_ id: String, _ service: String, at server: String) -> JSONValue {
    [
      "id": .string(id), "title": .string(service), "layerType": "ArcGISFeatureLayer", "visibility": true,
      "opacity": 1, "url": .string("\(server)/rest/services/\(service)/FeatureServer/0"),
    ]
  }
}

extension Portal {
  /// `/content/items/ID`: public, but for what describes a protected service.
  func item(_ route: Route, _ call: Call) throws(PortalError) -> JSONValue {
    let service = FeatureService.allCases.first { Content.id(of: $0) == route.names.first }
    guard let service else {
      try checkItem(route, call)
      return WebMap.item
    }
    let token = try holder(of: call, at: .portal)
    guard service.isPublic || token != nil else { throw .tokenRequired }
    return Content.item(service, server: call.host.serverURL)
  }

  /// `/content/items/ID/data`: public, although one of its layers is not.
  func itemData(_ route: Route, _ call: Call) throws(PortalError) -> JSONValue {
    try checkItem(route, call)
    return WebMap.data(server: call.host.serverURL)
  }

  /// - Throws: 498 for a bad token, even though no token is needed.
  private func checkItem(_ route: Route, _ call: Call) throws(PortalError) {
    _ = try holder(of: call, at: .portal)
    guard route.names.first == WebMap.itemID else {
      throw PortalError(code: 400, message: "Item does not exist or is inaccessible.", messageCode: "CONT_0001")
    }
  }
}
