internal import Crypto
internal import HTTP
internal import JSON

/// A refusal as Entra words it: an OAuth error with `AADSTS` and a number in its description.
struct DirectoryError: Error, Equatable {
  let error: String
  let number: Int64
  let text: String
  var status: Status = .badRequest

  static let unknownTenant = DirectoryError(
    error: "invalid_tenant", number: 90002, text: "Tenant not found. Check to make sure you have the correct tenant ID."
  )
  static let unknownClient = DirectoryError(
    error: "unauthorized_client", number: 700016, text: "Application was not found in the directory.")
  static let wrongRedirectURI = DirectoryError(
    error: "invalid_request", number: 50011,
    text: "The redirect URI specified in the request does not match the redirect URIs configured for the application.")
  static let missingSecret = DirectoryError(
    error: "invalid_client", number: 7_000_218,
    text: "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
    status: .unauthorized)
  static let wrongSecret = DirectoryError(
    error: "invalid_client", number: 7_000_215, text: "Invalid client secret provided.", status: .unauthorized)
  static let publicClient = DirectoryError(
    error: "invalid_client", number: 700025,
    text: "Client is public so neither 'client_assertion' nor 'client_secret' should be presented.",
    status: .unauthorized)
  static let unknownCode = DirectoryError(
    error: "invalid_grant", number: 70000, text: "The provided value for the input parameter 'code' is not valid.")
  static let usedCode = DirectoryError(
    error: "invalid_grant", number: 54005, text: "OAuth2 Authorization code was already redeemed.")
  static let expiredCode = DirectoryError(
    error: "invalid_grant", number: 70008, text: "The provided authorization code has expired.")
  static let wrongVerifier = DirectoryError(
    error: "invalid_grant", number: 501481, text: "The Code_Verifier does not match the code_challenge supplied.")
  static let unknownRefreshToken = DirectoryError(
    error: "invalid_grant", number: 70000, text: "The provided refresh token is not valid or was revoked.")
  static let expiredRefreshToken = DirectoryError(
    error: "invalid_grant", number: 700082, text: "The refresh token has expired due to inactivity.")
  static let unsupportedGrant = DirectoryError(
    error: "unsupported_grant_type", number: 70003, text: "The app requested an unsupported grant type.")
  static let noKey = DirectoryError(
    error: "server_error", number: 90033, text: "A transient error has occurred.", status: .serviceUnavailable)

  static func missing(_ name: String) -> DirectoryError {
    DirectoryError(
      error: "invalid_request", number: 900144,
      text: "The request body must contain the following parameter: '\(name)'.")
  }

  var description: String { "AADSTS\(number): \(text)" }

  func response(at now: Moment) -> Response {
    let (trace, correlation) = (Self.randomGUID(), Self.randomGUID())
    return .json(
      [
        "error": .string(error),
        "error_description": .string("\(description) Trace ID: \(trace) Correlation ID: \(correlation)"),
        "error_codes": [.integer(number)], "timestamp": .integer(now.milliseconds / 1_000),
        "trace_id": .string(trace), "correlation_id": .string(correlation),
      ], status: status)
  }

  private static func randomGUID() -> String { GUID.text(of: Random.bytes(16)) }
}

/// Sixteen bytes as Microsoft writes them.
enum GUID {
  static func text(of bytes: [UInt8]) -> String {
    let digits = Hex.encode(bytes)
    let ends = [8, 12, 16, 20, 32]
    var parts: [Substring] = []
    var rest = digits[...]
    for (start, end) in zip([0] + ends, ends) {
      parts.append(rest.prefix(end - start))
      rest = rest.dropFirst(end - start)
    }
    return parts.joined(separator: "-")
  }
}
