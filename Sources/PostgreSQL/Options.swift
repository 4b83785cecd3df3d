extension PostgreSQLDatabase {
  /// How a database is used; the defaults suit production.
  public struct Options: Sendable {
    /// How many writes may wait, in each of the two lanes, and how many reads.
    public var queueCapacity = 4096
    /// How many reads may run at once, each on a connection of its own, besides the one that writes.
    public var readers = 8
    /// How many prepared statements each connection keeps.
    public var cachedStatements = 512
    /// How long one statement may take, in milliseconds, unless the server or the connection string limits it.
    public var statementTimeout = 10_000
    /// For how much longer than the server takes for a statement at most it may say nothing before it is given up, in
    /// milliseconds.
    public var silence = 5000
    /// How long a write waits for those of other instances, in milliseconds, unless limited elsewhere.
    public var lockTimeout = 5000
    /// After how long a transaction that nothing is heard of is ended by the server, in milliseconds: an instance that
    /// stands still must not hold up the others.
    public var idleTimeout = 10_000

    public init() {}
  }
}
