import Glibc

/// The two PEM files of a server identity.
public struct CertificateFiles: Sendable, Equatable {
  /// The path of the server's certificate, followed by the intermediate ones.
  public let chain: String
  /// The path of the certificate's private key, not encrypted.
  public let key: String

  public init(chain: String, key: String) {
    self.chain = chain
    self.key = key
  }

  /// What tells one version of the files from the next.
  ///
  /// - Throws: ``TLSFailure/configuration(_:)`` when a file is not there.
  func version() throws(TLSFailure) -> Version {
    Version(chain: try Self.stamp(of: chain), key: try Self.stamp(of: key))
  }

  struct Version: Equatable {
    let chain: Stamp
    let key: Stamp
  }

  /// The inode changes when a file is replaced, the time when it is rewritten.
  struct Stamp: Equatable {
    let inode: UInt
    let size: Int
    let seconds: Int
    let nanoseconds: Int
  }

  private static func stamp(of path: String) throws(TLSFailure) -> Stamp {
    var status = Glibc.stat()
    guard unsafe stat(path, &status) == 0 else {
      throw .configuration("\(path) cannot be read: \(unsafe String(cString: strerror(errno)))")
    }
    return Stamp(
      inode: status.st_ino, size: status.st_size, seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }
}
