/// A status code (RFC 9110 §15).
public struct Status: Sendable, Hashable, ExpressibleByIntegerLiteral {
  public let code: Int

  public init(integerLiteral code: Int) { self.code = code }

  public static let ok: Status = 200
  public static let created: Status = 201
  public static let noContent: Status = 204
  public static let found: Status = 302
  public static let seeOther: Status = 303
  public static let notModified: Status = 304
  public static let badRequest: Status = 400
  public static let unauthorized: Status = 401
  public static let forbidden: Status = 403
  public static let notFound: Status = 404
  public static let methodNotAllowed: Status = 405
  public static let internalServerError: Status = 500
  public static let badGateway: Status = 502
  public static let serviceUnavailable: Status = 503
}

extension Status {
  /// The reason phrase of the registry (RFC 9110 §15); `Unknown` for a code that is not in it.
  public var phrase: String {
    switch code {
    case 100: "Continue"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400...499: clientErrorPhrase
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 507: "Insufficient Storage"
    default: "Unknown"
    }
  }

  private var clientErrorPhrase: String {
    switch code {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 428: "Precondition Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    default: "Unknown"
    }
  }
}
