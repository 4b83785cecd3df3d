internal import COpenSSL
import Synchronization

/// A server's certificate and key, from which sessions are made; any thread may use it.
public final class TLSContext: Sendable {
  /// The keys that seal session tickets are as old as the identity, so it is renewed this often.
  private static let ticketKeyLife = Duration.seconds(12 * 3_600)

  public let files: CertificateFiles
  /// Whether clients are asked for a certificate; they need not have one.
  private let asksForCertificates: Bool
  private let current: Mutex<Current>

  private struct Current: ~Copyable {
    var identity: ServerIdentity
    var version: CertificateFiles.Version
    var madeAt: ContinuousClock.Instant
  }

  /// Reads the files.
  ///
  /// - Throws: ``TLSFailure/configuration(_:)``, which says what is wrong with which file.
  public init(files: CertificateFiles, asksForCertificates: Bool = false) throws(TLSFailure) {
    self.files = files
    self.asksForCertificates = asksForCertificates
    current = Mutex(try Self.read(files, asksForCertificates))
  }

  /// Reads the files again if they are not those that were read last, or the ticket keys are 12 hours old.
  ///
  /// Running sessions keep what they began with. When the new files are unfit the old identity stays in use.
  /// - Returns: whether the files had changed.
  /// - Throws: ``TLSFailure/configuration(_:)``, which says what is wrong with which file.
  public func reloadIfChanged() throws(TLSFailure) -> Bool {
    let version = try files.version()
    let (isChanged, isStale) = current.withLock {
      ($0.version != version, ContinuousClock.now - $0.madeAt > Self.ticketKeyLife)
    }
    guard isChanged || isStale else { return false }
    var fresh: Current? = try Self.read(files, asksForCertificates)
    current.withLock { current in
      if let next = fresh.take() { current = next }
    }
    return isChanged
  }

  /// A new `SSL` that belongs to the caller, or `nil` when memory is short.
  func makeSession() -> sending OpaquePointer? {
    unsafe current.withLock {
      // Nobody else has the new object, so it may leave the lock; its `SSL_CTX` counts its references atomically.
      nonisolated(unsafe) let session = unsafe SSL_new($0.identity.context)
      return unsafe session
    }
  }

  private static func read(
    _ files: CertificateFiles, _ asksForCertificates: Bool
  ) throws(TLSFailure) -> sending Current {
    let version = try files.version()
    let identity = try ServerIdentity()
    try identity.load(files, asksForCertificates: asksForCertificates)
    return Current(identity: identity, version: version, madeAt: .now)
  }
}
