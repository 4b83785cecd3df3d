import COpenSSL
import Glibc

/// Owner of one set of trusted certificates, parsed once and given to many connections.
///
/// libcurl would parse the system's bundle for each set of its options anew (30 ms), and cannot add to it.
@safe final class TrustStore {
  private let raw: OpaquePointer

  /// Reads every certificate in the PEM files; `nil` when one cannot be read or holds none.
  init?(files: [String]) {
    guard let store = unsafe X509_STORE_new() else { return nil }
    unsafe raw = store
    for file in files where unsafe X509_STORE_load_file(store, file) != 1 {
      ERR_clear_error()
      return nil
    }
    // As libcurl sets it: an intermediate certificate in the store is an anchor of its own.
    unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN))
  }

  deinit { unsafe X509_STORE_free(raw) }

  /// Makes a TLS context trust this store and nothing else; the context shares the ownership.
  @unsafe func install(in context: OpaquePointer) { unsafe SSL_CTX_set1_cert_store(context, raw) }
}

/// The trust stores in use, read again when a file changes; used on the outbound thread only.
final class TrustStores {
  /// The system's, and those that everything trusts besides.
  private let bundles: [String]
  private var entries: [String?: Entry] = [:]
  /// Never given up: a connection may ask for its own until it closes, and there are no more than administrators approved.
  private var pins: [ServerPin: PinnedKey] = [:]

  private struct Entry {
    let store: TrustStore
    let stamps: [FileStamp?]
  }

  /// Takes the paths of the certificates that everything trusts.
  init(bundles: [String]) { self.bundles = bundles }

  func pinned(_ pin: ServerPin) -> PinnedKey {
    if let known = pins[pin] { return known }
    let key = PinnedKey(pin)
    pins[pin] = key
    return key
  }

  /// Those certificates and the ones in `extra`; `nil` when a file cannot be read.
  func store(adding extra: String?) -> TrustStore? {
    let files = bundles + (extra.map { [$0] } ?? [])
    let stamps = files.map(FileStamp.init(path:))
    if let entry = entries[extra], entry.stamps == stamps { return entry.store }
    guard let store = TrustStore(files: files) else { return nil }
    entries[extra] = Entry(store: store, stamps: stamps)
    return store
  }
}

/// What changes when a file is written or replaced.
private struct FileStamp: Equatable {
  let inode: UInt
  let size: Int
  let seconds: Int
  let nanoseconds: Int

  init?(path: String) {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { return nil }
    inode = info.st_ino
    size = info.st_size
    seconds = info.st_mtim.tv_sec
    nanoseconds = info.st_mtim.tv_nsec
  }
}
