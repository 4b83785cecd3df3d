import Domain
import Flows
import HTTP
import JSON

/// Passes a request on to a connection's portal or to one of its servers, with the person's own credential, and has the
/// answer name our addresses in place of theirs.
struct ArcGISForward: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  /// Sends it to the proxy's `path` (``ArcGISFace/portalPath(_:)``).
  func callAsFunction(_ arcGIS: ArcGISCall, to path: String) async throws -> Response {
    let call = arcGIS.call
    guard let token = try arcGIS.token() else { throw ArcGISError.tokenRequired }
    let use = call.request.headers["sec-fetch-dest"].flatMap { ForeignAnswer.refusedUses.contains($0) ? $0 : nil }
    if let use, use != "document" || arcGIS.format != .html { throw Self.refusal(ofUse: use) }
    let caller = try await AuthenticateArcGISToken(here)(token, for: arcGIS.face, from: arcGIS.sender, call.visitor)
    let request = try ArcGISRequest(arcGIS).request
    let target = ForwardRequest.Target(
      connection: arcGIS.face.connection.id, path: path[...], query: request.query)
    let longest = caller.key?.scope.longestAnswer
    do {
      let answer = try await ForwardRequest(here)(request, to: target, for: caller, call.visitor)
      var foreign = try await ForeignAnswer(answer, within: longest, masksEchoes: true)
      if foreign.refusesToken, let again = try await renewed(request, target, caller, call) {
        foreign = try await ForeignAnswer(again, within: longest, masksEchoes: true)
      }
      // A document is what we make of JSON, and nothing that comes from elsewhere.
      if let use, !isJSON(foreign.answer.headers, arcGIS) { throw Self.refusal(ofUse: use) }
      return try await response(foreign, arcGIS)
    } catch let refusal as Refusal where refusal.interaction != nil { throw error(refusal, caller) }
  }

  private static func refusal(ofUse use: String) -> ArcGISError {
    ArcGISError(400, "A browser does not open this as a \(use); add f=html to read JSON.")
  }

  /// The answer to the same request with another token, for one that the portal refused before its time; `nil` when it
  /// has refused a new one, too.
  private func renewed(
    _ request: Request, _ target: ForwardRequest.Target, _ caller: VendCaller, _ call: Call
  ) async throws -> ForwardRequest.Answer? {
    do {
      return try await ForwardRequest(here)(
        request, to: target, for: caller, minimumLifetime: VendRequest.maximumMinimumLifetime, call.visitor)
    } catch let refusal as Refusal where refusal.code == .slowDown { return nil }
  }

  /// The person has to come here before the app can go on; one that only knows ArcGIS has them sign in again.
  private func error(_ refusal: Refusal, _ caller: VendCaller) -> ArcGISError {
    guard let interaction = refusal.interaction, let account = caller.account else { return ArcGISError(refusal) }
    let place = here.interactionURI(interaction, account: account, client: caller.client)
    return ArcGISError(498, "Invalid token.", details: [refusal.description, "The person can mend it at \(place)"])
  }

  private func response(_ foreign: ForeignAnswer, _ arcGIS: ArcGISCall) async throws -> Response {
    let answer = foreign.answer
    var response = Response(status: answer.status, headers: answer.headers)
    ForeignAnswer.dress(&response)
    // Pages of apps show thumbnails and tiles as images; without a token nobody gets one.
    response.headers.set("cross-origin-resource-policy", "cross-origin")
    lead(&response, arcGIS)
    for name in Set(response.headers.fields.filter(foreign.isEcho).map(\.name)) { response.headers.remove(name) }
    guard arcGIS.call.request.method != .head, answer.status != .noContent, answer.status != .notModified else {
      return response
    }
    guard isJSON(answer.headers, arcGIS), answer.status != 206 else {
      response.body = foreign.body
      return response
    }
    guard answer.headers["content-encoding"] == nil else {
      throw Refusal(.upstreamError, "The service compressed its answer although it was asked not to.")
    }
    for name in ["content-length", "etag", "accept-ranges"] as [FieldName] { response.headers.remove(name) }
    if arcGIS.isAboutOrganisation { return try await organisation(foreign, arcGIS) }
    let isPage = arcGIS.format == .html
    if isPage {
      response.headers.set("content-type", "text/html; charset=utf-8")
      response.headers.remove("content-disposition")
    }
    response.body = .stream { writer in
      var rewriter = arcGIS.rewriter
      if isPage { try await writer.write(ArcGISAnswer.htmlHead) }
      try await foreign.each { piece in
        var rest = piece[...]
        while !rest.isEmpty {
          let rewritten = rewriter.take(Array(rest.prefix(Self.slice)))
          rest = rest.dropFirst(Self.slice)
          if !rewritten.isEmpty { try await writer.write(isPage ? ArcGISAnswer.escaped(rewritten) : rewritten) }
          // The others on this loop have their turn, however much comes.
          await Task.yield()
        }
      }
      let rest = rewriter.finish() + (isPage ? ArcGISAnswer.htmlFoot : [])
      if !rest.isEmpty { try await writer.write(rest) }
    }
    return response
  }

  /// Bytes that are looked through at once.
  private static let slice = 16 << 10

  /// Servers say `text/plain`, too, of the JSON that was asked for.
  private func isJSON(_ headers: Headers, _ arcGIS: ArcGISCall) -> Bool {
    let type = (headers["content-type"] ?? "").lowercased().prefix { $0 != ";" && $0 != " " }
    return type == "application/json" || type.hasSuffix("+json") || type == "text/plain" && arcGIS.asksForJSON
  }

  /// A redirect leads to our own address of the same thing; elsewhere, and with it the app's token, it does not lead.
  private func lead(_ response: inout Response, _ arcGIS: ArcGISCall) {
    guard let location = response.headers.single("location") else { return }
    response.headers.remove("location")
    let connection = arcGIS.face.connection
    let start = here.issuer + Connection.proxyRoot + connection.id.text
    let parts = location.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = (location.hasPrefix("/") ? Self.origin(of: here.issuer) : "") + (parts.first ?? "")
    guard path.hasPrefix(start),
      let url = connection.proxiedURL(
        path[path.index(path.startIndex, offsetBy: start.count)...], query: parts.dropFirst().first ?? ""),
      let value = arcGIS.face.address(of: url.text).flatMap(FieldValue.init)
    else { return }
    response.headers.set("location", value)
  }

  private static func origin(of issuer: String) -> String { ResourceURL(issuer)?.origin ?? issuer }

  /// `portals/self` tells where the portal is and by what name each organisation has its own; clients believe it.
  private func organisation(_ foreign: ForeignAnswer, _ arcGIS: ArcGISCall) async throws -> Response {
    var bytes: [UInt8] = []
    var rewriter = arcGIS.rewriter
    try await foreign.each { piece in
      bytes += rewriter.take(piece)
      guard bytes.count <= Self.longestOrganisation else { throw Self.strangeOrganisation }
    }
    guard let json = try? JSONValue(parsing: bytes), let members = json.object else { throw Self.strangeOrganisation }
    if json["error"] != nil { return ArcGISAnswer.response(json, arcGIS.format) }
    let place = ArcGISInfo.place(arcGIS)
    let replaced = Set(place.map(\.name) + ["urlKey", "customBaseUrl"])
    return ArcGISAnswer.response(.object(members.filter { !replaced.contains($0.name) } + place), arcGIS.format)
  }

  /// In bytes.
  private static let longestOrganisation = 1024 * 1024
  private static let strangeOrganisation = Refusal(.upstreamError, "The portal does not describe itself in JSON.")
}

extension ArcGISCall {
  fileprivate var isAboutOrganisation: Bool { call.request.path.split(separator: "/").dropLast().last == "portals" }

  /// Has an answer name our addresses.
  fileprivate var rewriter: JSONStringRewriter {
    // Only there a server stands without one of its services.
    let (face, namesServers) = (face, call.request.path.split(separator: "/").last == "servers")
    var addresses = ArcGISAddresses(face, namesServers: namesServers)
    return JSONStringRewriter(of: "http") { addresses.address(of: $0) }
  }
}

extension ForeignAnswer {
  /// Whether the portal or a server says that the token does not count, in JSON as they do.
  fileprivate var refusesToken: Bool {
    guard let first, first.count <= 4096, first.first == UInt8(ascii: "{"),
      let error = try? JSONValue(parsing: first)["error"]
    else { return false }
    return error.integer("code") == 498 || error.integer("code") == 499
  }
}
