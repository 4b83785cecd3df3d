/// A client certificate as proxies pass it on.
public struct ForwardedCertificate: Sendable {
  public let der: [UInt8]

  /// Reads the byte sequence of RFC 9440 (`:…:`), PEM with or without percent-encoding (nginx, Apache, Envoy), or plain
  /// base64 of DER (Traefik, HAProxy); `nil` for anything else.
  public init?(_ value: String) {
    var text = value
    if text.contains("%") {
      guard let bytes = PercentCoding.decode(text, plusIsSpace: false) else { return nil }
      text = String(decoding: bytes, as: UTF8.self)
    }
    if text.hasPrefix(":"), text.hasSuffix(":"), text.utf8.count > 2 { text = String(text.dropFirst().dropLast()) }
    let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
    if text.hasPrefix(begin) {
      // The client's own certificate stands first; those that issued it may follow.
      let rest = text.dropFirst(begin.count)
      guard let close = rest.firstRange(of: end) else { return nil }
      text = String(rest[..<close.lowerBound])
    }
    let digits = text.utf8.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    guard digits.count <= 16_384, let der = Base64.decode(digits.span), !der.isEmpty else {
      return nil
    }
    self.der = der
  }
}
