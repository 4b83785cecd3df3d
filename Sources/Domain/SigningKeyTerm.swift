/// When one of our signing keys is published, signs and is believed (reference: JK-02, KM-09).
///
/// The keys of one algorithm follow each other: each is published a day before it signs, so that whoever keeps our key set
/// has it by then, and stays published for a day after the next one took over, when every token that it signed has ended.
public struct SigningKeyTerm: Sendable, Equatable {
  private static let day: Int64 = 24 * 60 * 60
  /// For how long a key signs before the next one does.
  public static let rotation = 90 * day
  /// For how long a key is published before it signs.
  public static let announcement = day
  /// For how long a key is published after the next one took over; no token of ours lives as long.
  public static let overlap = day
  /// For how long after that a token that says who somebody was is still believed to be ours.
  public static let memory = 30 * day

  public let signsFrom: Timestamp
  /// When the next one takes over; `nil` while there is none.
  public let supersededAt: Timestamp?

  public init(signsFrom: Timestamp, supersededAt: Timestamp?) {
    self.signsFrom = signsFrom
    self.supersededAt = supersededAt
  }

  /// The terms of the keys of one algorithm, from when each signs, in rising order.
  public static func terms(signingFrom starts: [Timestamp]) -> [SigningKeyTerm] {
    starts.indices.map { SigningKeyTerm(signsFrom: starts[$0], supersededAt: starts.dropFirst($0 + 1).first) }
  }

  public func signs(at now: Timestamp) -> Bool { signsFrom <= now && (supersededAt.map { $0 > now } ?? true) }

  /// Whether the key set shows it, and its tokens count.
  public func isPublished(at now: Timestamp) -> Bool { supersededAt.map { $0 + Self.overlap > now } ?? true }

  /// Whether a token that only says who somebody was is still believed; after that the key is deleted.
  public func isRemembered(at now: Timestamp) -> Bool {
    supersededAt.map { $0 + Self.overlap + Self.memory > now } ?? true
  }

  /// Whether the next key has to be published now.
  public func needsNext(at now: Timestamp) -> Bool {
    supersededAt == nil && signsFrom + Self.rotation - Self.announcement <= now
  }

  /// The next moment after `now` at which something of this changes by itself.
  public func nextChange(after now: Timestamp) -> Timestamp? {
    let moments = [signsFrom, supersededAt, supersededAt.map { $0 + Self.overlap }]
    return moments.compactMap { $0 }.filter { $0 > now }.min()
  }
}
