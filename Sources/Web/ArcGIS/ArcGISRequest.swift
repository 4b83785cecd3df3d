import Domain
import HTTP
import UnicodeText

/// A request to the portal of a connection as it goes on to the true one: without the app's token, wherever it stood.
struct ArcGISRequest {
  let request: Request

  /// - Throws: `FormFailure` for a body that cannot be read.
  init(_ arcGIS: ArcGISCall) throws {
    let sent = arcGIS.call.request
    var request = sent
    let path = sent.target.prefix { $0 != "?" }
    let shown = try arcGIS.token() ?? ""
    let query = Self.stripped(sent.query, arcGIS, shown)
    request.target = query.isEmpty ? String(path) : "\(path)?\(query)"
    // What is to be rewritten must be read.
    request.headers.set("accept-encoding", "identity")
    for name in Set(sent.headers.fields.filter { !shown.isEmpty && $0.value.text.contains(shown) }.map(\.name)) {
      request.headers.remove(name)
    }
    if sent.headers.contentType?.isForm == true {
      request.body = Array(
        Self.stripped(Substring(String(decoding: sent.body, as: UTF8.self).streamSafe), arcGIS, shown).utf8)
    } else if let text = String(streamSafe: sent.body) {
      request.body = Array(arcGIS.face.trueText(text, without: shown).utf8)
    }
    if let type = sent.headers.single("content-type"), MultipartForm.isType(type) {
      request.body = try MultipartForm.without("token", request.body, contentType: type, limits: ArcGISCall.limits)
    }
    self.request = request
  }

  /// Without `token`; pages are made here, of the JSON that people read best.
  private static func stripped(_ form: Substring, _ arcGIS: ArcGISCall, _ shown: String) -> String {
    form.split(separator: "&").compactMap { field -> String? in
      let name = text(of: field.prefix { $0 != "=" })
      if name?.lowercased() == "token" { return nil }
      if arcGIS.format == .html, name == "f" { return "f=pjson" }
      guard let name, let value = text(of: field.drop { $0 != "=" }.dropFirst()) else { return String(field) }
      let changed = arcGIS.face.trueText(value, without: shown)
      return changed == value ? String(field) : "\(PercentCoding.encode(name))=\(PercentCoding.encode(changed))"
    }.joined(separator: "&")
  }

  private static func text(of part: Substring) -> String? {
    PercentCoding.decode(part, plusIsSpace: true).flatMap { String(streamSafe: $0) }
  }
}
