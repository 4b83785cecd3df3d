internal import Synchronization

/// Spare OpenSSL contexts of one kind, because making one costs more than using it.
///
/// A context is with at most one thread at a time: it leaves and returns under the lock. There are never
/// more than threads that used the pool at the same moment.
final class ContextPool<Context: Sendable>: Sendable {
  private let spare = Mutex<[Context]>([])
  private let make: @Sendable () throws(CryptoError) -> Context

  init(_ make: @escaping @Sendable () throws(CryptoError) -> Context) { self.make = make }

  /// Lends a context to `body`; one whose use failed is not lent again.
  func use<Result>(_ body: (Context) throws(CryptoError) -> Result) throws(CryptoError) -> Result {
    let context = if let spare = spare.withLock({ $0.popLast() }) { spare } else { try make() }
    let result = try body(context)
    spare.withLock { $0.append(context) }
    return result
  }
}
