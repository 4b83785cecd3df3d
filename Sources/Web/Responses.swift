import Domain
import HTTP
import JSON

extension Response {
  /// A JSON answer that nobody may keep, as ``SecurityHeaders`` says of every answer that does not say otherwise.
  static func json(_ status: Status = .ok, _ body: [UInt8]) -> Response {
    Response(status: status, headers: jsonHeaders, body: .bytes(body))
  }

  private static let jsonHeaders: Headers = ["content-type": "application/json"]

  /// A JSON answer that anybody may keep for `maxAge` seconds, such as metadata and keys.
  static func publicJSON(_ body: [UInt8], maxAge: Int) -> Response {
    var response = Response(
      status: .ok, headers: ["content-type": "application/json", "access-control-allow-origin": "*"],
      body: .bytes(body))
    if let value = FieldValue("public, max-age=\(maxAge)") { response.headers.set("cache-control", value) }
    return response
  }

  /// A redirect that turns any method into GET (RFC 9110 §15.4.4).
  ///
  /// - Throws: `Refusal` when the target has characters that no header may hold.
  static func seeOther(_ target: String) throws -> Response {
    guard let location = FieldValue(target) else { throw Refusal(.invalidRequest, "The redirect target is malformed.") }
    return Response(status: .seeOther, headers: ["location": location, "cache-control": "no-store"])
  }
}
