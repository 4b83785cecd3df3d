import Domain
import Flows
import Logging

extension Call {
  /// Writes one line about a request that was refused, so that the reference which the caller was shown leads somewhere.
  ///
  /// `reason` is a sentence of ours, which at most names a parameter or an id. Paths without a route, which anybody can invent, write nothing.
  func logRefusal(_ code: String, _ reason: String, _ log: Logger) {
    guard let route else { return }
    log.info(
      "a request was refused",
      ["request": .string(requestID), "route": .string(route.text), "code": .string(code), "why": .string(reason)])
  }

  /// The same for a refusal; a fault of ours has a line of its own.
  func log(_ refusal: Refusal, _ log: Logger) {
    if refusal.code != .serverError { logRefusal(refusal.code.rawValue, refusal.description, log) }
  }
}
