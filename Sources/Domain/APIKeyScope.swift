/// What an API key reaches.
public struct APIKeyScope: Sendable, Equatable {
  /// By one of these alone.
  public let connections: [ConnectionID]
  /// Only URLs that one of these covers; all that the connections cover when there is none.
  public let resources: [ResourcePattern]
  /// Only by these; by any when there is none.
  public let methods: [String]
  /// In bytes, as they come; any size when `nil`.
  public let longestAnswer: Int64?

  /// What only reads (RFC 9110 §9.2.1).
  public static let readingMethods = ["GET", "HEAD"]
  /// Those that the proxy passes on.
  public static let knownMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
  private static let mostResources = 100

  public init(
    connections: [ConnectionID], resources: [ResourcePattern] = [], methods: [String] = [], longestAnswer: Int64? = nil
  ) {
    self.connections = connections
    self.resources = resources
    self.methods = methods
    self.longestAnswer = longestAnswer
  }

  /// Whether it is less than everything that its connections can do, which no upstream's token can be kept to.
  public var isNarrowed: Bool { !resources.isEmpty || !methods.isEmpty || longestAnswer != nil }

  /// Why `url` of `connection` is not for the key, or `nil`; `method` is how the proxy is to call it.
  public func refusal(for url: ResourceURL, of connection: ConnectionID, method: String?) -> Refusal? {
    guard connections.contains(connection) else { return Self.unreachable }
    guard reaches(url) else { return Self.unreachable }
    guard let method, !allows(method: method) else { return nil }
    return Refusal(
      .insufficientScope, "The API key may not use \(method) here, only \(methods.joined(separator: ", ")).")
  }

  public func allows(method: String) -> Bool { methods.isEmpty || methods.contains(method) }

  /// Reads the same for what exists and for what does not.
  private static let unreachable = Refusal(.insufficientScope, "The API key does not reach this resource.")

  var objections: [(field: String, text: String)] {
    var found: [(String, String)] = []
    if let method = methods.first(where: { !Self.knownMethods.contains($0) }) {
      found.append(("method", "\(method) is no method that passes: \(Self.knownMethods.joined(separator: ", "))."))
    }
    if resources.count > Self.mostResources {
      found.append(("resource", "Name at most \(Self.mostResources) resources."))
    }
    if let longestAnswer, longestAnswer < 1 {
      found.append(("longest_answer", "The longest answer is at least 1 byte."))
    }
    return found
  }
}
