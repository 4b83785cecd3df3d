internal import COpenSSL

/// Why a certificate cannot be used or a session cannot go on.
public enum TLSFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// A certificate or key file is missing, unreadable or unfit; the text says which file, and why.
  case configuration(String)
  /// The peer broke the protocol or refused ours; the text is OpenSSL's reason, without peer data.
  case session(String)

  public var description: String {
    switch self {
    case .configuration(let text): text
    case .session(let reason): "TLS session failed: \(reason)"
    }
  }

  /// OpenSSL's own words for what failed last on this thread; empties its queue of errors.
  ///
  /// An error left in the queue would be reported by the next, innocent call.
  static func takeReason() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0, let text = unsafe ERR_reason_error_string(code) else { return "no reason given" }
    return unsafe String(cString: text)
  }
}
