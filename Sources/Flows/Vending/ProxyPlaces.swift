import Domain
import Synchronization

/// The requests that the proxy passes on: how many, so that one caller cannot take the places of everybody, and for
/// whom, so that each ends with what it is made with.
final class ProxyPlaces: Sendable {
  /// For one person, or one client that acts for none; the outbound client has four times as many for one host.
  static let each = 32

  /// What has ended, and with it the requests made for it.
  enum Ended: Sendable {
    /// The person's sign-in here, or the account.
    case account(AccountID)
    /// What a person, or the service for everybody, is connected to.
    case service(ConnectionID, of: AccountID)
    case connection(ConnectionID)
    case client(ClientID)
    /// All of it, or what was called with one of its secrets, or a token made with that.
    case apiKey(APIKeyID, slot: Int64?)
    /// What a person allowed a client.
    case consent(ClientID, of: AccountID)
  }

  private struct Passage {
    let account: AccountID?
    let client: ClientID
    let key: ClientAPIKey?
    /// That of the URL, and those of the layers in front of it.
    var connections: Set<ConnectionID>
    var cancel: (@Sendable () -> Void)?
    var hasEnded = false

    var holder: String { account?.text ?? client.text }

    func ends(with ended: Ended) -> Bool {
      switch ended {
      case .account(let id): account == id
      case .service(let connection, let owner):
        connections.contains(connection) && (account == owner || owner == Account.service)
      case .connection(let id): connections.contains(id)
      case .client(let id): client == id
      case .apiKey(let id, let slot): key?.id == id && (slot == nil || key?.shownSlot == slot)
      case .consent(let id, let person): client == id && account == person
      }
    }
  }

  private struct State {
    var taken: [String: Int] = [:]
    var passages: [UInt64: Passage] = [:]
    var lastID: UInt64 = 0
  }

  private let state = Mutex(State())

  /// A place that is taken until the last reference to this goes.
  final class Place: Sendable {
    private let id: UInt64
    private let places: ProxyPlaces

    fileprivate init(_ id: UInt64, in places: ProxyPlaces) {
      self.id = id
      self.places = places
    }

    deinit { places.giveBack(id) }

    /// Whether what the request is made with has ended since.
    var hasEnded: Bool { places.state.withLock { $0.passages[id]?.hasEnded ?? true } }

    /// Takes note of what stands in front of the URL.
    func leads(through layer: ConnectionID) {
      places.state.withLock { _ = $0.passages[id]?.connections.insert(layer) }
    }

    /// Has `cancel` called when what the request is made with ends, at once if it has.
    func ends(by cancel: @escaping @Sendable () -> Void) {
      let hasEnded = places.state.withLock {
        $0.passages[id]?.cancel = cancel
        return $0.passages[id]?.hasEnded ?? true
      }
      if hasEnded { cancel() }
    }
  }

  /// Takes a place before anything about the caller's standing is read, so that no end of it goes unnoticed.
  ///
  /// - Throws: `Refusal` `slow_down` when the caller has taken all of theirs.
  func take(for caller: VendCaller, to connection: ConnectionID) throws(Refusal) -> Place {
    let passage = Passage(
      account: caller.account, client: caller.client, key: caller.key, connections: [connection])
    let id = state.withLock { state -> UInt64? in
      let count = state.taken[passage.holder, default: 0]
      guard count < Self.each else { return nil }
      state.taken[passage.holder] = count + 1
      state.lastID += 1
      state.passages[state.lastID] = passage
      return state.lastID
    }
    guard let id else {
      throw Refusal(
        .slowDown, "\(Self.each) requests by the proxy are under way for this account. Wait until one has ended.",
        retryAfter: 1)
    }
    return Place(id, in: self)
  }

  /// How many an account, or a client that acts for itself, has under way.
  func count(of holder: String) -> Int { state.withLock { $0.taken[holder, default: 0] } }

  /// Breaks off what was made with what `ended`; to be called once that is committed.
  func end(_ ended: Ended) {
    let cancels = state.withLock { state in
      var cancels: [@Sendable () -> Void] = []
      for (id, passage) in state.passages where !passage.hasEnded && passage.ends(with: ended) {
        state.passages[id]?.hasEnded = true
        if let cancel = passage.cancel { cancels.append(cancel) }
      }
      return cancels
    }
    for cancel in cancels { cancel() }
  }

  private func giveBack(_ id: UInt64) {
    state.withLock { state in
      guard let holder = state.passages.removeValue(forKey: id)?.holder else { return }
      let count = state.taken[holder, default: 0] - 1
      state.taken[holder] = count > 0 ? count : nil
    }
  }
}
