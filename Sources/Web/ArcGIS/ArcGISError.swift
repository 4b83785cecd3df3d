import Domain
import Flows
import HTTP
import JSON

/// A refusal as ArcGIS clients read it: an object `error` with a code of its own, nearly always with the HTTP status 200.
struct ArcGISError: Error {
  let code: Int
  let message: String
  let details: [String]
  /// The `error` of an OAuth answer, which stands inside.
  var oauth: String?
  /// Seconds after which trying again makes sense.
  var retryAfter: Int64?

  init(_ code: Int, _ message: String, details: [String] = [], oauth: String? = nil) {
    self.code = code
    self.message = message
    self.details = details
    self.oauth = oauth
  }

  static let tokenRequired = ArcGISError(499, "Token Required.")

  private static let forbidden = "You do not have permissions to access this resource or perform this operation."

  /// What ArcGIS would say, with our own sentence among the details.
  init(_ refusal: Refusal) {
    let text = refusal.description
    switch refusal.code {
    case .invalidToken, .interactionRequired: self.init(498, "Invalid token.", details: [text])
    case .insufficientScope, .invalidTarget, .accessDenied, .unauthorizedClient, .referrerNotAllowed,
      .networkNotAllowed, .invalidScope:
      self.init(403, Self.forbidden, details: [text])
    case .notFound: self.init(404, text)
    default:
      let status = refusal.status.code
      self.init(status == 401 ? 400 : status, text)
    }
    retryAfter = refusal.retryAfter
  }

  /// The same of the endpoints below `oauth2`: clients drop a refresh token at 498.
  init(oauth refusal: Refusal, isRefresh: Bool = false) {
    let (code, name) =
      switch refusal.code {
      case .invalidGrant where isRefresh: (498, "invalid_request")
      case .invalidClient: (400, "invalid_client_id")
      // Waiting helps, which no other refusal of a client's says.
      default: (refusal.status.code >= 429 ? refusal.status.code : 400, refusal.code.rawValue)
      }
    self.init(code, refusal.description, oauth: name)
    retryAfter = refusal.retryAfter
  }

  func response(_ format: ArcGISCall.Format) -> Response {
    // Newer services of ArcGIS answer with a true status, which matters most where waiting helps.
    let status = Status(integerLiteral: code)
    var response = ArcGISAnswer.response(json, format, status: code == 429 || code >= 500 ? status : .ok)
    if let retryAfter { response.headers.set("retry-after", FieldValue(retryAfter)) }
    return response
  }

  private var json: JSONValue {
    var members: [JSONValue.Member] = [.init("code", .integer(Int64(code)))]
    if let oauth { members += [.init("error", .string(oauth)), .init("error_description", .string(message))] }
    members.append(.init("message", .string(message)))
    if code == 403 { members.append(.init("messageCode", "GWM_0003")) }
    members.append(.init("details", .array(details.map(JSONValue.string))))
    return ["error": .object(members)]
  }
}

/// What we answer ourselves, in the format that was asked for.
enum ArcGISAnswer {
  static func response(_ json: JSONValue, _ format: ArcGISCall.Format, status: Status = .ok) -> Response {
    let body = json.encoded(layout: format == .json ? .compact : .pretty)
    guard format == .html else { return .json(status, body) }
    return Response(status: status, headers: html, body: .bytes(htmlHead + escaped(body) + htmlFoot))
  }

  static let html: Headers = ["content-type": "text/html; charset=utf-8"]
  static let htmlHead = Array("<!doctype html><html lang=\"en\"><title>ArcGIS REST</title><pre>".utf8)
  static let htmlFoot = Array("</pre></html>\n".utf8)

  /// JSON as the text of a page.
  static func escaped(_ json: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(json.count + json.count / 8)
    for byte in json {
      switch byte {
      case UInt8(ascii: "&"): output += Array("&amp;".utf8)
      case UInt8(ascii: "<"): output += Array("&lt;".utf8)
      default: output.append(byte)
      }
    }
    return output
  }
}
