import Flows
import HTTP
import JSON
import Logging
import SQL
import Storage

/// Says whether this instance lives and may get traffic; an upstream's state never counts here.
struct HealthEndpoint: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  static let alive = Response.json(.ok, Array(#"{"status":"live"}"#.utf8))

  /// A server that says nothing for so long is away, even if it may come back before requests give up waiting for it.
  private static let longestSilence = Duration.seconds(3)

  /// Asks the database once, and whether it can write; the key and the migrations were checked before the first request.
  func ready() async -> Response {
    do {
      let silence = here.store.silence
      guard silence < Self.longestSilence else {
        throw DatabaseError.away("nothing was heard of it for \(silence.components.seconds) seconds")
      }
      _ = try await here.store.read { try $0.clockHighWater() }
      if let refusal = here.store.writeRefusal { throw refusal }
      return .json(.ok, Array(#"{"status":"ready"}"#.utf8))
    } catch {
      here.log.error("the database does not answer or cannot write", ["error": .string(String(describing: error))])
      return .json(.serviceUnavailable, Array(#"{"status":"unready","why":"database"}"#.utf8))
    }
  }
}
