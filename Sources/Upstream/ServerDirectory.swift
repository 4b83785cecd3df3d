internal import Domain
internal import HTTP
internal import JSON

/// What servers say of themselves at `/rest/info`, asked once and remembered for a while.
struct ServerDirectory: Sendable {
  /// What counts of a server's `/rest/info`.
  struct Entry: Sendable, Equatable {
    /// Absent for a server that stands alone.
    let owningSystemURL: String?
    let takesTokens: Bool

    /// Reads `owningSystemUrl` and `authInfo`; a member that is absent means no.
    init(_ info: JSONValue) {
      owningSystemURL = info.string("owningSystemUrl")
      takesTokens = info["authInfo"]?.bool("isTokenBasedSecurity") ?? false
    }
  }

  private struct Key: Hashable {
    let connection: ConnectionID
    let revision: Int64
    let root: String
  }

  /// How long an answer is believed.
  static let lifetime: Duration = .seconds(600)

  let dialer: Dialer
  private let entries = BoundedCache<Key, Entry>(capacity: 1000)

  init(dialer: Dialer) { self.dialer = dialer }

  /// What the server at `root` says of itself.
  ///
  /// The caller has made sure that an administrator declared the host.
  func entry(for root: String, _ connection: Connection) async throws(UpstreamFailure) -> Entry {
    let key = Key(connection: connection.id, revision: connection.revision, root: root)
    if let known = entries.value(for: key, youngerThan: Self.lifetime, at: .now) { return known }
    let call = Dialer.Call(url: root + "/rest/info?f=json")
    let entry = Entry(try await dialer.send(call, for: connection).portalObject())
    entries.store(entry, for: key, at: .now)
    return entry
  }
}
