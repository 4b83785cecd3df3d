import Domain
import Flows
import HTTP
import Logging

extension App {
  /// Gatehouse in the part of the ArcGIS portals of its connections, each below its name, and of one at the root.
  static func arcGISRoutes(_ desk: Desk) -> [Route] {
    let (portal, authorize) = (ArcGISEndpoint(desk), ArcGISAuthorize(desk))
    let passwords = ArcGISPasswordSignIn(desk)
    // The root goes first: what it has below `sharing` is no connection of that name.
    return ["", "/:connection"].flatMap { root -> [Route] in
      let pages: [Route] = [
        .page(.get, root + "/sharing/rest/oauth2/authorize") { try await authorize.get($0) },
        .page(.get, root + "/sharing/rest/oauth2/signout") { try await authorize.signOut($0) },
        .page(.get, root + "/sharing/rest/oauth2/approval") { try await passwords.approval($0) },
      ]
      return pages
        + [Method.get, .post].flatMap { method -> [Route] in
          [
            .shared(method, root + "/sharing/rest/*path") { await portal.sharing($0) },
            .shared(method, root + "/sharing/oauth2/signin") { await portal.passwordSignIn($0) },
            .shared(method, root + "/servers/*path") { await portal.server($0) },
            .shared(method, root + "/rest/info") { await portal.info($0, ofServer: true) },
            .shared(method, root + "/info") { await portal.info($0, ofServer: false) },
          ]
        }
    }
  }
}

/// Answers whatever is asked of such a portal but pages, always as ArcGIS would.
struct ArcGISEndpoint: Sendable {
  private let here: Installation
  private let tokens: ArcGISTokens
  private let forward: ArcGISForward
  private let passwords: ArcGISPasswordSignIn

  init(_ desk: Desk) {
    here = desk.here
    tokens = ArcGISTokens(here)
    forward = ArcGISForward(here)
    passwords = ArcGISPasswordSignIn(desk)
  }

  /// What stands below `sharing/rest`.
  func sharing(_ call: Call) async -> Response {
    await answer(call) { arcGIS in
      let path = Self.path(of: call, behind: "/sharing/rest", arcGIS.face)
      switch path.split(separator: "/").joined(separator: "/") {
      case "": return ArcGISInfo.version(arcGIS)
      case "info": return ArcGISInfo.portal(arcGIS)
      case "oauth2/token": return try await tokens.token(arcGIS)
      case "oauth2/revokeToken": return try await tokens.revoke(arcGIS)
      case "oauth2/signin": return try await passwords.signIn(arcGIS)
      case "generateToken": return try await tokens.generate(arcGIS)
      case "portals/self" where try arcGIS.token() == nil: return ArcGISInfo.organisation(arcGIS)
      default:
        guard let target = arcGIS.face.portalPath(path) else { throw Self.notOffered }
        return try await forward(arcGIS, to: target)
      }
    }
  }

  /// What stands below `servers`: a host of the connection, and a path there.
  func server(_ call: Call) async -> Response {
    await answer(call) { arcGIS in
      let path = Self.path(of: call, behind: "/servers", arcGIS.face)
      if path.hasSuffix("/rest/info") || path.hasSuffix("/rest/info/") { return ArcGISInfo.server(arcGIS) }
      guard let target = arcGIS.face.serverPath(path.dropFirst()) else { throw Self.notOffered }
      return try await forward(arcGIS, to: target)
    }
  }

  /// Where the API for Python sends a password that was typed into a program.
  func passwordSignIn(_ call: Call) async -> Response {
    await answer(call) { try await passwords.signIn($0) }
  }

  func info(_ call: Call, ofServer: Bool) async -> Response {
    await answer(call) { ofServer ? ArcGISInfo.server($0) : ArcGISInfo.portal($0) }
  }

  private static let notOffered = ArcGISError(
    404, "There is nothing at this path: content, search, community, portals and the services of servers are passed on."
  )

  /// The rest of the path as it was sent: its escapes are the portal's to decode.
  private static func path(of call: Call, behind mark: String, _ face: ArcGISFace) -> Substring {
    let start = (ResourceURL(face.root).map(\.path) ?? "").split(separator: "/").map { "/\($0)" }.joined() + mark
    return call.request.target.prefix { $0 != "?" }.dropFirst(start.count)
  }

  private func answer(_ call: Call, _ handle: (ArcGISCall) async throws -> Response) async -> Response {
    var format = ArcGISCall.Format.json
    do {
      guard let face = try await here.arcGISFace(try call.faceID()) else {
        throw ArcGISError(404, "There is no ArcGIS portal here. The path begins with the name of a connection.")
      }
      let arcGIS = try ArcGISCall(call, face)
      format = arcGIS.format
      return try await handle(arcGIS)
    } catch { return told(error, call).response(format) }
  }

  private func told(_ error: any Error, _ call: Call) -> ArcGISError {
    if let error = error as? ArcGISError { return error }
    if let failure = error as? FormFailure { return ArcGISError(400, failure.description) }
    if let refusal = error as? Refusal {
      call.log(refusal, here.log)
      return ArcGISError(refusal)
    }
    here.log.error(
      "a request failed on our side",
      [
        "request": .string(call.requestID), "path": .string(call.request.path),
        "error": .string(String(describing: error)),
      ])
    return ArcGISError(Refusal(fault: error))
  }
}
