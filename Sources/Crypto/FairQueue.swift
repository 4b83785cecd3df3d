/// A bounded queue in which no network can crowd out the others, with a lane for devices that are known.
///
/// Known devices go first; strangers take turns by network, and none may hold more than its share of the places.
struct FairQueue<Element> {
  let capacity: Int
  /// The most places that one network's strangers may hold.
  let share: Int
  private var known: [Element] = []
  private var strangers: [String: [Element]] = [:]
  /// Whose turn is next; each network with waiting elements stands here once.
  private var turns: [String] = []
  private(set) var count = 0

  init(capacity: Int, share: Int) {
    self.capacity = capacity
    self.share = share
  }

  /// Adds an element; `false` when there is no place for it.
  ///
  /// Known devices may fill the queue to twice its capacity, so that a crowd of strangers never keeps them out.
  mutating func append(_ element: Element, from network: String, isKnown: Bool) -> Bool {
    if isKnown {
      guard known.count < capacity else { return false }
      known.append(element)
    } else {
      let waiting = strangers[network]?.count ?? 0
      guard count - known.count < capacity, waiting < share else { return false }
      if waiting == 0 { turns.append(network) }
      strangers[network, default: []].append(element)
    }
    count += 1
    return true
  }

  /// Takes the element whose turn it is.
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    if !known.isEmpty { return known.removeFirst() }
    let network = turns.removeFirst()
    guard var waiting = strangers.removeValue(forKey: network) else { return nil }
    let element = waiting.removeFirst()
    if !waiting.isEmpty {
      strangers[network] = waiting
      turns.append(network)
    }
    return element
  }
}
