internal import JSON

/// A refusal as ArcGIS words it: HTTP 200 with an `error` member.
struct PortalError: Error, Equatable {
  let code: Int
  let message: String
  var details: [String] = []
  /// Stands in some errors; 403 and 499 share `GWM_0003`, so no client should tell them apart by it.
  var messageCode: String?
  /// The OAuth error, only in the answers of `/oauth2/*`; the strings are not those of RFC 6749.
  var oauthError: String?

  /// An error of `/oauth2/*`: an OAuth error wrapped in an Esri error.
  static func oauth(_ error: String, _ description: String, code: Int = 400) -> PortalError {
    PortalError(code: code, message: description, oauthError: error)
  }

  static func invalidRequest(_ description: String) -> PortalError { .oauth("invalid_request", description) }

  static let invalidClient = PortalError.oauth("invalid_client_id", "Invalid client_id")
  static let refreshTokenExpired = PortalError.oauth("invalid_request", "refresh_token expired", code: 498)
  static let refreshTokenUnknown = PortalError.oauth("invalid_request", "Invalid refresh_token", code: 498)

  static let invalidToken = PortalError(code: 498, message: "Invalid token.")
  static let tokenRequired = PortalError(code: 499, message: "Token Required", messageCode: "GWM_0003")
  static let forbidden = PortalError(
    code: 403, message: "You do not have permissions to access this resource or perform this operation.",
    messageCode: "GWM_0003")

  static func notFound(_ message: String) -> PortalError { PortalError(code: 404, message: message) }

  /// An error of `generateToken`.
  static func noToken(_ detail: String) -> PortalError {
    PortalError(code: 400, message: "Unable to generate token.", details: [detail])
  }

  /// The whole body.
  var json: JSONValue {
    var members = [JSONValue.Member("code", .integer(Int64(code)))]
    if let messageCode { members.append(.init("messageCode", .string(messageCode))) }
    if let oauthError {
      members.append(.init("error", .string(oauthError)))
      members.append(.init("error_description", .string(message)))
    }
    members.append(.init("message", .string(message)))
    members.append(.init("details", .array(details.map(JSONValue.string))))
    return ["error": .object(members)]
  }
}
