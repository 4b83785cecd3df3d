import CCurl
import Glibc

/// A certificate that proves who asks, with the private key that belongs to it.
public struct ClientCertificate: Sendable, CustomStringConvertible {
  /// The certificate and its issuers.
  let chain: [UInt8]
  /// PKCS #8, not encrypted.
  let key: [UInt8]

  /// Reads a PEM text of certificates, the own one first, and the key behind them; `nil` when there is no key.
  public init?(pem: [UInt8]) {
    guard let border = pem.firstRange(of: Array("-----BEGIN PRIVATE KEY-----".utf8))?.lowerBound, border > 0 else {
      return nil
    }
    chain = Array(pem[..<border])
    key = Array(pem[border...])
  }

  public var description: String { "a client certificate" }
}

extension ClientCertificate: CustomDebugStringConvertible, CustomReflectable {
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A copy of a private key for libcurl, which reads it when it connects; wiped when it goes.
@safe final class KeyBuffer {
  let bytes: UnsafeMutableBufferPointer<UInt8>

  init(_ key: [UInt8]) {
    unsafe bytes = .allocate(capacity: key.count)
    _ = unsafe bytes.initialize(from: key)
  }

  deinit {
    if let start = unsafe bytes.baseAddress { unsafe explicit_bzero(start, bytes.count) }
    unsafe bytes.deallocate()
  }
}

extension CurlHandle {
  /// Has libcurl show `certificate` where it is asked for one; with `nil` it shows none and forgets the last.
  ///
  /// - Returns: What has to stay until the handle is set again.
  func set(certificate: ClientCertificate?) throws(CurlRefusal) -> KeyBuffer? {
    guard let certificate else {
      try check(unsafe ccurl_set_blob(raw, CURLOPT_SSLCERT_BLOB, nil, 0, 0))
      try check(unsafe ccurl_set_blob(raw, CURLOPT_SSLKEY_BLOB, nil, 0, 0))
      return nil
    }
    let chain = certificate.chain
    let code = unsafe chain.withUnsafeBytes { bytes in
      unsafe ccurl_set_blob(raw, CURLOPT_SSLCERT_BLOB, bytes.baseAddress, bytes.count, 1)
    }
    try check(code)
    let key = KeyBuffer(certificate.key)
    try check(unsafe ccurl_set_blob(raw, CURLOPT_SSLKEY_BLOB, key.bytes.baseAddress, key.bytes.count, 0))
    return key
  }
}
