import Domain
import Flows
import HTTP

/// What an upstream answered, on its way to an app from our own origin.
struct ForeignAnswer: Sendable {
  let answer: ForwardRequest.Answer
  /// The first piece of the body; `nil` when that is empty.
  let first: [UInt8]?
  private let longest: Int
  /// What the upstream was shown, where nothing of that may come back.
  private let masks: [EchoMask]

  /// Waits for the beginning of the body: nothing is sent before it anyway, and until then a failure can still be told.
  ///
  /// - Throws: `Refusal` `upstream_error` when it does not come, `insufficient_scope` when the body says or shows that it
  ///   is longer than `longest` bytes.
  init(_ answer: ForwardRequest.Answer, within longest: Int64?, masksEchoes: Bool = false) async throws(Refusal) {
    self.answer = answer
    masks = masksEchoes ? EchoMask.masks(of: answer.shown) : []
    self.longest = longest.map { Int(clamping: $0) } ?? .max
    guard answer.length ?? 0 <= self.longest else { throw Self.tooLong }
    do { first = try await answer.body.read() } catch { throw Self.brokenOff }
    guard first?.count ?? 0 <= self.longest else { throw Self.tooLong }
  }

  /// The body as it comes; one that did not say before that it is too long is broken off there.
  var body: Response.Body {
    .stream(length: answer.length) { writer in
      try await each { if !$0.isEmpty { try await writer.write($0) } }
    }
  }

  /// Hands every piece of the body to `take`.
  func each(_ take: ([UInt8]) async throws -> Void) async throws {
    if masks.isEmpty { return try await eachAsItComes(take) }
    var masks = masks
    try await eachAsItComes { try await take(masks.take($0)) }
    try await take(masks.finish())
  }

  /// Whether a field of the answer holds what may not come back.
  func isEcho(_ field: Headers.Field) -> Bool { masks.contains { $0.finds(in: field.value.text) } }

  private func eachAsItComes(_ take: ([UInt8]) async throws -> Void) async throws {
    guard let first else { return }
    var room = longest - first.count
    try await take(first)
    while let piece = try await answer.body.read() {
      room -= piece.count
      // An end without the last chunk tells the app that something is missing.
      guard room >= 0 else { throw Self.tooLong }
      try await take(piece)
    }
  }

  private static let brokenOff = Refusal(
    .upstreamError, "The upstream broke off its answer. The request may have taken effect.")

  private static let tooLong = Refusal(
    .insufficientScope, "The answer is longer than this API key may read. Ask for less of it.")
}

extension ForeignAnswer {
  /// Nothing that comes from elsewhere may act as a document or program of ours.
  static let refusedUses: Set<String> = [
    "document", "iframe", "frame", "embed", "object", "script", "serviceworker", "worker", "sharedworker",
  ]

  /// Keeps a foreign body on our origin from doing harm there.
  static func dress(_ response: inout Response) {
    response.headers.set("via", "1.1 gatehouse")
    response.headers.set("content-security-policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
    response.headers.set("cache-control", "private, no-store")
    let isAttached = response.headers["content-disposition"]?.lowercased().hasPrefix("attachment") ?? false
    if !isAttached && !isData(response.headers) { response.headers.set("content-disposition", "attachment") }
  }

  /// Whether no browser takes the body for more than it is: JSON, protocol buffers or an image.
  private static func isData(_ headers: Headers) -> Bool {
    // Of several types, a browser takes the last (Fetch, section "extract a MIME type").
    guard let field = headers.single("content-type"), !field.contains(",") else { return false }
    let type = field.lowercased().prefix { $0 != ";" && $0 != " " }
    return type.hasPrefix("image/") || type.hasSuffix("+json")
      || ["application/json", "application/x-protobuf", "application/vnd.mapbox-vector-tile"].contains(String(type))
  }
}
