import Crypto
import Domain

extension Installation {
  /// The value that a form carries to prove it came from our own page in the same browser (reference: WEB-11).
  ///
  /// `browser` is the session's cookie, or the one that a visitor has before signing in; `form` names which form, and for
  /// what: a value for one never serves another.
  public func formToken(for browser: String, form: String) -> String {
    let key = purposeKeys.current(.pages)
    return "\(key.id).\(Base64URL.encode(key.mac.authenticate(Self.message(browser, form))))"
  }

  public func isFormToken(_ token: String, for browser: String, form: String) -> Bool {
    let parts = token.split(separator: ".").map(String.init)
    guard parts.count == 2, let key = purposeKeys.key(parts[0], for: .pages), let mac = Base64URL.decode(parts[1])
    else {
      return false
    }
    return key.mac.isValid(mac, for: Self.message(browser, form))
  }

  private static func message(_ browser: String, _ form: String) -> [UInt8] {
    Array("form|".utf8) + TokenHash(of: browser).bytes + Array(form.utf8)
  }
}
