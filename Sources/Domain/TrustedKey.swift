/// A server's public key that an administrator trusts in place of a known authority's signature.
public struct TrustedKey: Sendable, Equatable {
  /// `host:port`.
  public let server: String
  /// SHA-256 of the SubjectPublicKeyInfo in hexadecimal, without anything between.
  public let publicKey: String
  public let until: Timestamp

  /// `nil` when `publicKey` is no SHA-256.
  public init?(server: String, publicKey: String, until: Timestamp) {
    guard let digest = Self.digest(publicKey) else { return nil }
    self.server = server
    self.publicKey = digest
    self.until = until
  }

  /// In seconds: how long a key is trusted unless somebody says otherwise.
  public static let usualLifetime: Int64 = 365 * 86_400

  /// Reads a SHA-256 as people copy it: in hexadecimal, with or without colons; `nil` for anything else.
  public static func digest(_ text: String) -> String? {
    let digits = text.lowercased().filter { $0 != ":" && $0 != " " }
    let isDigest = digits.utf8.count == 64 && digits.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    return isDigest ? digits : nil
  }

  /// The bytes of ``publicKey``.
  public var bytes: [UInt8] {
    let digits = Array(publicKey.utf8).map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// As certificates' digests are shown: capital digits with colons between the bytes.
  public var shownKey: String {
    let digits = Array(publicKey.uppercased())
    return stride(from: 0, to: digits.count - 1, by: 2).map { String(digits[$0...($0 + 1)]) }.joined(separator: ":")
  }
}

extension Connection {
  /// The key by which the server at `hostAndPort` is trusted, approved and perhaps ended; `nil` for most servers.
  public func trustedKey(of hostAndPort: String) -> TrustedKey? { trustedKeys.first { $0.server == hostAndPort } }

  /// `host:port` of its own address.
  public var server: String? { ResourceURL(origin).map { "\($0.host):\($0.port)" } }
}

extension Connection {
  /// Whether the connection has to do with the server at `hostAndPort`: it is its own, or an administrator named it.
  public func knows(_ hostAndPort: String) -> Bool {
    guard let url = ResourceURL("https://\(hostAndPort)/"), "\(url.host):\(url.port)" == hostAndPort else {
      return false
    }
    let named = [origin] + (provider.endpoints?.all ?? []) + resources.map(\.text).filter { $0.contains("://") }
    return trustedKey(of: hostAndPort) != nil || reach.hosts.contains(hostAndPort)
      || named.contains { ResourceURL($0)?.origin == url.origin }
      || resources.cover(url)
  }
}

/// What a server showed of itself in a TLS handshake.
public struct ServerSight: Sendable, Equatable {
  /// `host:port`.
  public let server: String
  /// The server's own certificate first.
  public let chain: [CertificateDescription]
  /// Why it is not trusted; `nil` when it is.
  public let distrust: Distrust?
  /// What the approval of its key, if there is one, is worth.
  public let approval: Approval

  public enum Approval: Sendable, Equatable {
    case none
    case fits
    case ended
    case otherKey
  }

  public init(server: String, chain: [CertificateDescription], distrust: Distrust?, approval: Approval) {
    self.server = server
    self.chain = chain
    self.distrust = distrust
    self.approval = approval
  }
}
