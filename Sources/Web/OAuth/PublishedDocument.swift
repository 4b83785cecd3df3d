import Domain
import Flows
import HTTP

/// A JSON document for everybody, made once, that browsers and caches may keep.
struct PublishedDocument: Sendable {
  private let body: [UInt8]
  private let maxAge: Int
  private let tag: EntityTag?

  /// A document that may be kept for `maxAge` seconds.
  init(_ body: [UInt8], maxAge: Int) {
    self.body = body
    self.maxAge = maxAge
    let hash = TokenHash(of: String(decoding: body, as: UTF8.self)).bytes.prefix(12)
    tag = EntityTag(hash.map { String($0, radix: 16) }.joined(separator: "-"))
  }

  /// The document, or 304 for who has it already.
  func answer(_ call: Call) -> Response {
    var response = Response.publicJSON(body, maxAge: maxAge)
    guard let tag else { return response }
    if let value = FieldValue(tag.text) { response.headers.set("etag", value) }
    if tag.matches(call.request.headers) {
      response.status = .notModified
      response.body = .empty
      response.headers.remove("content-type")
    }
    return response
  }
}
