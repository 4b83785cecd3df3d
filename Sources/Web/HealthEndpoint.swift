import Flows
import HTTP
import JSON
import Logging
import Storage

/// Says whether this instance lives and may get traffic; an upstream's state never counts here.
struct HealthEndpoint: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  static let alive = Response.json(.ok, Array(#"{"status":"live"}"#.utf8))

  /// Asks the database once, and whether it can write; the key and the migrations were checked before the first request.
  func ready() async -> Response {
    do {
      _ = try await here.store.read { try $0.clockHighWater() }
      if let refusal = here.store.writeRefusal { throw refusal }
      return .json(.ok, Array(#"{"status":"ready"}"#.utf8))
    } catch {
      here.log.error("the database does not answer or cannot write", ["error": .string(String(describing: error))])
      return .json(.serviceUnavailable, Array(#"{"status":"unready","why":"database"}"#.utf8))
    }
  }
}
