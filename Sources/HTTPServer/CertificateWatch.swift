import Logging
import Synchronization
import TLS

/// Looks now and then whether the certificate was renewed; asked whenever a session begins, so it needs no timer.
final class CertificateWatch: Sendable {
  static let interval: Milliseconds = 10_000

  private struct State {
    var nextLook: Milliseconds = 0
    var failure: TLSFailure?
  }

  private let context: TLSContext
  private let logger: Logger
  private let state = Mutex(State())

  init(_ context: TLSContext, logger: Logger) {
    self.context = context
    self.logger = logger
  }

  /// A new session with the newest identity that is fit.
  func makeSession(now: Milliseconds) throws(TLSFailure) -> TLSSession {
    let isDue = state.withLock { state in
      guard now >= state.nextLook else { return false }
      state.nextLook = now + Self.interval
      return true
    }
    if isDue { reload() }
    return try TLSSession(context)
  }

  private func reload() {
    do throws(TLSFailure) {
      if try context.reloadIfChanged() { logger.info("certificate reloaded", ["file": .string(context.files.chain)]) }
      state.withLock { $0.failure = nil }
    } catch {
      let isNew = state.withLock { state in
        defer { state.failure = error }
        return state.failure != error
      }
      if isNew { logger.error("certificate not reloaded; the old one stays", ["reason": .string(error.description)]) }
    }
  }
}
