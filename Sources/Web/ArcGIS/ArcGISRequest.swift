import HTTP

/// A request to the portal of a connection as it goes on to the true one: without the app's token, wherever it stood.
struct ArcGISRequest {
  let request: Request

  /// - Throws: `FormFailure` for a body that cannot be read.
  init(_ arcGIS: ArcGISCall) throws {
    let sent = arcGIS.call.request
    var request = sent
    let path = sent.target.prefix { $0 != "?" }
    let query = Self.stripped(sent.query, arcGIS.format)
    request.target = query.isEmpty ? String(path) : "\(path)?\(query)"
    // What is to be rewritten must be read.
    request.headers.set("accept-encoding", "identity")
    if sent.headers.contentType?.isForm == true {
      request.body = Array(Self.stripped(Substring(String(decoding: sent.body, as: UTF8.self)), arcGIS.format).utf8)
    } else if let type = sent.headers.single("content-type"), MultipartForm.isType(type) {
      request.body = try MultipartForm.without("token", sent.body, contentType: type)
    }
    self.request = request
  }

  /// Without `token`; pages are made here, of the JSON that people read best.
  private static func stripped(_ form: Substring, _ format: ArcGISCall.Format) -> String {
    form.split(separator: "&").compactMap { field -> Substring? in
      let name = PercentCoding.decode(field.prefix { $0 != "=" }, plusIsSpace: true) ?? []
      if name == Array("token".utf8) { return nil }
      return format == .html && name == Array("f".utf8) ? "f=pjson" : field
    }.joined(separator: "&")
  }
}
