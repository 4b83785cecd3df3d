/// Where an API key may come from, and how often.
public struct APIKeyLimits: Sendable, Equatable {
  /// Pages that may use it, by the `Referer` of their requests; any when there is none.
  ///
  /// Whoever has the key can send any `Referer`: this keeps honest browsers to it, and nobody else.
  public let referrers: [ResourcePattern]
  /// Networks that it may come from, such as `192.0.2.0/24`; any when there is none.
  public let networks: [String]
  /// Calls; as many as come when `nil`.
  public let perMinute: Int64?
  /// Calls from one midnight to the next, in UTC.
  public let perDay: Int64?

  public static let most: Int64 = 1_000_000_000
  private static let mostPlaces = 100

  public init(
    referrers: [ResourcePattern] = [], networks: [String] = [], perMinute: Int64? = nil, perDay: Int64? = nil
  ) {
    self.referrers = referrers
    self.networks = networks
    self.perMinute = perMinute
    self.perDay = perDay
  }

  /// Whether a request with this `Referer` may use the key.
  public func allows(referrer: String?) -> Bool {
    guard !referrers.isEmpty else { return true }
    guard let referrer, let page = ResourceURL(referrer) else { return false }
    return referrers.cover(page)
  }

  var objections: [(field: String, text: String)] {
    var found: [(String, String)] = []
    if referrers.count > Self.mostPlaces || networks.count > Self.mostPlaces {
      found.append(("network", "Name at most \(Self.mostPlaces) referrers and as many networks."))
    }
    for (field, number) in [("per_minute", perMinute), ("per_day", perDay)] {
      guard let number, !(1...Self.most).contains(number) else { continue }
      found.append((field, "A limit is a whole number of calls from 1 to \(Self.most)."))
    }
    return found
  }
}
