/// A set of scope words, in the order first named (RFC 6749 §3.3).
public struct Scope: Sendable, Equatable {
  public let words: [String]

  /// Tokens of the services that a person connected.
  public static let vend = "vend"
  /// The same for jobs that run while the person is not there, where they allowed that, too.
  public static let unattended = "vend:unattended"
  /// Who the person is (OpenID Connect Core §3.1.2.1).
  public static let openID = "openid"
  /// What the person is called (§5.4).
  public static let profile = "profile"
  /// Access that outlasts the browser session (§11).
  public static let offlineAccess = "offline_access"
  /// The ArcGIS portals of connections, which Gatehouse stands for; what is granted names one: `arcgis:maps`.
  public static let arcGIS = "arcgis"
  /// Every scope word that a client can be registered for.
  public static let known: [String] = [vend, unattended, arcGIS, openID, profile, offlineAccess]
  public static let none = Scope(words: [])

  private init(words: [String]) { self.words = words }

  /// Parses a space-separated list; `nil` when a word has a character that RFC 6749 §3.3 excludes.
  public init?(_ text: String) {
    var words: [String] = []
    for bytes in text.utf8.split(separator: UInt8(ascii: " ")) {
      guard bytes.allSatisfy({ $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }) else {
        return nil
      }
      let word = String(Substring(bytes))
      if !words.contains(word) { words.append(word) }
    }
    self.words = words
  }

  /// The portal of one connection.
  public static func arcGIS(_ connection: ConnectionID) -> Scope { Scope(words: ["\(arcGIS):\(connection)"]) }

  /// The connections whose portals it names.
  public var arcGISConnections: [ConnectionID] { words.compactMap(Self.arcGISConnection) }

  /// The connection whose portal a word names.
  static func arcGISConnection(_ word: String) -> ConnectionID? {
    guard word.hasPrefix("\(arcGIS):") else { return nil }
    return ConnectionID(String(word.dropFirst(arcGIS.count + 1)))
  }

  public var text: String { words.joined(separator: " ") }

  public func contains(_ word: String) -> Bool { words.contains(word) }

  /// Whether every word of this scope is in `other`.
  public func isWithin(_ other: Scope) -> Bool { words.allSatisfy(other.words.contains) }

  /// The words of this scope that are not in `other`.
  public func subtracting(_ other: Scope) -> Scope { Scope(words: words.filter { !other.words.contains($0) }) }

  /// The other words of it.
  public func without(_ word: String) -> Scope { Scope(words: words.filter { $0 != word }) }

  /// Whether it names vending unattended without vending, which means nothing.
  public var isUnattendedAlone: Bool { contains(Self.unattended) && !contains(Self.vend) }

  /// The words of both.
  public func union(_ other: Scope) -> Scope { Scope(words: words + other.words.filter { !words.contains($0) }) }
}
