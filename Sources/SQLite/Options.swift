extension SQLiteDatabase {
  /// How a database is opened; the defaults suit production.
  public struct Options: Sendable {
    /// The number that marks the file as ours (`PRAGMA application_id`), "GHSE" in ASCII.
    public var applicationID: Int32 = 0x4748_5345
    /// How long a write waits, in milliseconds, while another process holds the lock.
    public var busyTimeout: Int32 = 5000
    /// How many writes may wait, in each of the two lanes.
    public var queueCapacity = 4096
    /// How many reads may run at once; further ones wait for their turn.
    public var readers = 4
    /// How many prepared statements each connection keeps.
    public var cachedStatements = 256

    public init() {}
  }
}
