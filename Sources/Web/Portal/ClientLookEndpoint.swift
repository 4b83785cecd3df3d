import Domain
import Flows
import HTTP
import Pages
import Storage

/// The logo and the colour of a client, for the pages to which it sends people; they say nothing that is not public.
struct ClientLookEndpoint: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  /// Everything that the style sheet of the installation says of its own colour, with the client's.
  func style(_ call: Call) async throws -> Response {
    guard let accent = try await look(call)?.accent.flatMap({ AccentColour($0) }) else { throw Self.none }
    return Self.answer("text/css; charset=utf-8", Array(accent.style.utf8))
  }

  func logo(_ call: Call) async throws -> Response {
    guard let logo = try await look(call)?.logo else { throw Self.none }
    return Self.answer("image/png", logo)
  }

  private func look(_ call: Call) async throws -> ClientLook? {
    let id = try call.clientID()
    return try await here.store.read { try $0.look(of: id) }
  }

  /// Its address changes with what is there.
  private static func answer(_ type: FieldValue, _ body: [UInt8]) -> Response {
    Response(
      status: .ok, headers: ["content-type": type, "cache-control": "public, max-age=31536000, immutable"],
      body: .bytes(body))
  }

  private static let none = Refusal(.notFound, "There is nothing at this path.")
}

extension Desk {
  /// What a page shows of the client that sent the person there: `client_style`, `client_logo` (link or none).
  func slots(of look: ClientLookMark?) -> PageContext.Object {
    guard let look else { return Look.noClient }
    let path = "\(external.basePath)/apps/\(look.client)"
    return [
      "client_style": look.hasAccent ? .url("\(path)/style.css?v=\(look.changedAt.seconds)") : .none,
      "client_logo": look.hasLogo ? .url("\(path)/logo.png?v=\(look.changedAt.seconds)") : .none,
    ]
  }
}
