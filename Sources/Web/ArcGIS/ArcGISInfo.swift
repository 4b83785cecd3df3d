import Domain
import HTTP
import JSON

/// What the portal of a connection and its servers say of themselves to everybody, before anybody signs in.
enum ArcGISInfo {
  /// The version whose endpoints and answers this follows.
  private static let version: JSONValue = 11.3
  private static let portalVersion: JSONValue = "2024.1"

  /// `sharing/rest/info`, and `info` beside it.
  static func portal(_ arcGIS: ArcGISCall) -> Response {
    ArcGISAnswer.response(.object(owner(arcGIS)), arcGIS.format)
  }

  /// `rest/info` of any server, by which a client finds out that it belongs to this portal.
  static func server(_ arcGIS: ArcGISCall) -> Response {
    ArcGISAnswer.response(
      .object([.init("currentVersion", version), .init("fullVersion", "11.3.0")] + owner(arcGIS)), arcGIS.format)
  }

  private static func owner(_ arcGIS: ArcGISCall) -> [JSONValue.Member] {
    [
      .init("owningSystemUrl", .string(arcGIS.face.root)),
      .init(
        "authInfo",
        [
          "isTokenBasedSecurity": true, "tokenServicesUrl": .string("\(arcGIS.face.sharing)/generateToken"),
        ]),
    ]
  }

  /// `sharing/rest` itself.
  static func version(_ arcGIS: ArcGISCall) -> Response {
    ArcGISAnswer.response(["currentVersion": portalVersion, "enterpriseVersion": "11.3.0"], arcGIS.format)
  }

  /// `portals/self` for whoever has no token: how to sign in, and nothing of the organisation.
  static func organisation(_ arcGIS: ArcGISCall) -> Response {
    ArcGISAnswer.response(
      .object(
        [
          .init("name", .string(arcGIS.face.connection.name)), .init("access", "private"),
          .init("currentVersion", portalVersion), .init("authorizedCrossOriginDomains", []),
        ] + place(arcGIS)), arcGIS.format)
  }

  /// What tells a client where the portal is, which is here.
  static func place(_ arcGIS: ArcGISCall) -> [JSONValue.Member] {
    let root = arcGIS.face.root
    return [
      .init("isPortal", true), .init("portalMode", "singletenant"), .init("supportsOAuth", true),
      .init("allSSL", .bool(root.hasPrefix("https:"))),
      .init("portalHostname", .string(String(root.drop { $0 != "/" }.dropFirst(2)))),
    ]
  }
}
