import Domain
import Flows
import HTTP

/// One request to Gatehouse in the part of an ArcGIS portal.
struct ArcGISCall: Sendable {
  let call: Call
  let face: ArcGISFace
  /// Of the query and the form together, which ArcGIS reads alike.
  let parameters: Form
  /// Those of the query alone.
  let query: Form
  let format: Format

  /// How the caller wants what we answer ourselves.
  enum Format: String, Sendable {
    case json
    /// JSON for people, with line breaks.
    case pjson
    case html
  }

  /// Requests to services are larger than those to ourselves: an edit holds its features in one parameter.
  static let limits: Form.Limits = {
    var limits = Form.Limits()
    limits.fieldCount = 256
    limits.valueBytes = 1024 * 1024
    return limits
  }()

  /// - Throws: ``ArcGISError`` for a form that cannot be read, and for `callback`.
  init(_ call: Call, _ face: ArcGISFace) throws {
    self.call = call
    self.face = face
    do {
      query = try Form(query: call.request.query, limits: Self.limits)
      parameters = Form((query.fields + (try Self.body(call))).map { ($0.name, $0.value) })
    } catch let failure as FormFailure { throw ArcGISError(400, failure.description) }
    // What is neither is for the service to understand: pbf, image, geojson.
    format = parameters.nonEmpty("f").flatMap(Format.init) ?? .json
    guard parameters.values(of: "callback").isEmpty else {
      throw ArcGISError(400, "The parameter callback (JSONP) is not offered: pages of registered apps may use CORS.")
    }
  }

  static func body(_ call: Call) throws -> [Form.Field] {
    let headers = call.request.headers
    if headers.contentType?.isForm == true { return try Form(call.request.body, limits: limits).fields }
    guard let type = headers.single("content-type"), MultipartForm.isType(type) else { return [] }
    return try MultipartForm(call.request.body, contentType: type, limits: limits).form.fields
  }

  /// The token of the request; `nil` when there is none.
  ///
  /// - Throws: ``ArcGISError`` for two that differ, and for an API key in the URL.
  func token() throws(ArcGISError) -> String? {
    if query.values(of: "token").contains(where: { AuthenticateAPIKey.isMeant(by: $0) }) {
      throw ArcGISError(
        400, "An API key does not belong in a URL, which logs keep: send it as X-Esri-Authorization: Bearer KEY.")
    }
    let shown = Set(parameters.values(of: "token") + Self.headerTokens(call.request.headers))
    guard shown.count < 2 else { throw ArcGISError(400, "The request shows several tokens that differ: send one.") }
    return shown.first
  }

  private static func headerTokens(_ headers: Headers) -> [String] {
    ["x-esri-authorization", "authorization"].flatMap { headers.values(of: $0) }.compactMap { text in
      AuthorizationField(text).flatMap { $0.scheme == "bearer" ? $0.credential : nil }
    }
  }

  /// Where a request for a token or with one says that it comes from.
  var sender: AuthenticateArcGISToken.Sender {
    let headers = call.request.headers
    return AuthenticateArcGISToken.Sender(referer: headers.single("referer"), origin: headers.single("origin"))
  }

  /// A time span in minutes as ArcGIS clients send them, in seconds; `nil` when there is none, or for -1: the longest.
  ///
  /// - Throws: ``ArcGISError`` for anything else.
  func seconds(_ name: String) throws(ArcGISError) -> Int64? {
    guard let text = parameters.nonEmpty(name), text != "-1" else { return nil }
    guard let minutes = Int64(text), (1...10_000_000).contains(minutes) else {
      throw ArcGISError(400, "\(name) is a whole number of minutes, or -1 for the longest time.")
    }
    return minutes * 60
  }
}

extension ArcGISCall {
  /// Whether the app asked for JSON in so many words, and so may get it under another type.
  var asksForJSON: Bool { parameters.nonEmpty("f").flatMap(Format.init) != nil }
}

extension Call {
  /// What a request to the portal of a connection shows as its token, whoever it is from; looked for where
  /// ``ArcGISCall/token()`` does, for a browser that wants to know who may read the answer.
  var arcGISTokens: [String] {
    guard let pattern = route?.pattern, pattern.contains("sharing") || pattern.contains("servers"),
      let form = try? Form(query: request.query)
    else { return [] }
    let header = request.headers.values(of: "x-esri-authorization").compactMap { AuthorizationField($0)?.credential }
    let posted = ((try? ArcGISCall.body(self)) ?? []).filter { $0.name == "token" }.map(\.value)
    return form.values(of: "token") + header + posted
  }
}
