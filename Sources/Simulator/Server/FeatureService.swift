internal import JSON

/// A service of the federated server with one point layer.
enum FeatureService: String, Sendable, CaseIterable {
  /// Only for users who are entitled.
  case traffic = "Traffic"
  /// For everyone.
  case roads = "Roads"

  var isPublic: Bool { self == .roads }

  var description: JSONValue {
    [
      "currentVersion": 11.3, "serviceDescription": "Simulated.", "capabilities": "Query", "maxRecordCount": 1_000,
      "spatialReference": ["wkid": 4326], "tables": [],
      "layers": [["id": 0, "name": .string(rawValue), "geometryType": "esriGeometryPoint"]],
    ]
  }

  var layer: JSONValue {
    [
      "currentVersion": 11.3, "id": 0, "name": .string(rawValue), "type": "Feature Layer", "capabilities": "Query",
      "geometryType": "esriGeometryPoint", "objectIdField": "OBJECTID", "displayField": "name",
      "maxRecordCount": 1_000, "fields": Self.fields,
      "extent": [
        "xmin": -118.7, "ymin": 33.6, "xmax": -117.6, "ymax": 34.4, "spatialReference": ["wkid": 4326],
      ],
    ]
  }

  /// Answers `/query`; of its fields only `returnCountOnly` and `resultRecordCount` are minded.
  func query(_ parameters: Parameters) -> JSONValue {
    let features = names.enumerated().map { number, name -> JSONValue in
      [
        "attributes": ["OBJECTID": .integer(Int64(number + 1)), "name": .string(name)],
        "geometry": ["x": .number(-118.25 + Double(number) / 8), "y": .number(34 + Double(number) / 16)],
      ]
    }
    if parameters["returnCountOnly"]?.lowercased() == "true" { return ["count": .integer(Int64(features.count))] }
    let limit = max(0, parameters["resultRecordCount"].flatMap { Int($0) } ?? features.count)
    return [
      "objectIdFieldName": "OBJECTID", "geometryType": "esriGeometryPoint", "spatialReference": ["wkid": 4326],
      "fields": Self.fields, "exceededTransferLimit": .bool(limit < features.count),
      "features": .array(Array(features.prefix(limit))),
    ]
  }

  private var names: [String] {
    switch self {
    case .traffic: ["Slow at the harbour", "Closed at the tunnel", "Free on the ring road"]
    case .roads: ["Harbour street", "Ring road"]
    }
  }

  private static let fields: JSONValue = [
    ["name": "OBJECTID", "type": "esriFieldTypeOID", "alias": "OBJECTID"],
    ["name": "name", "type": "esriFieldTypeString", "alias": "Name", "length": 80],
  ]
}
