import Flows
import HTTP

/// The name of one request in answers, log and audit.
enum RequestID {
  /// The caller's own `X-Request-Id` when it has 8 to 64 letters, digits and hyphens, else a new one.
  static func of(_ request: Request) -> String {
    if let given = request.headers["x-request-id"], isPlain(given) { return given }
    return NewRequestID.make()
  }

  private static func isPlain(_ text: String) -> Bool {
    (8...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
      }
  }
}
