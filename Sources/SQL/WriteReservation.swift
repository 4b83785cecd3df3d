/// One place in a database's write queue, set aside until this object is released.
///
/// Obtained from ``Database/reserve()`` before a step that cannot be repeated, so that a full queue cannot refuse to
/// store its outcome.
public final class WriteReservation: Sendable {
  private let release: @Sendable () -> Void

  /// Creates a reservation that calls `release` exactly once, when the last reference goes.
  public init(release: @escaping @Sendable () -> Void) { self.release = release }

  deinit { release() }
}
