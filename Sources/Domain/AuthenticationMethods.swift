/// How a person proved who they are, in the words of RFC 8176.
public struct AuthenticationMethods: Sendable, Hashable {
  public enum Method: String, Sendable, CaseIterable {
    case password = "pwd"
    case oneTimeCode = "otp"
    /// A key that a device keeps to itself.
    case hardwareKey = "hwk"
    /// A key that is copied to other devices of its owner.
    case softwareKey = "swk"
    /// The person was there.
    case userPresence = "user"
    /// More than one factor.
    case multipleFactors = "mfa"
  }

  public let list: [Method]

  public init(_ list: [Method]) { self.list = list }

  /// At an upstream, which knows how.
  public static let upstream = AuthenticationMethods([])
  public static let password = AuthenticationMethods([.password])

  public var names: [String] { list.map(\.rawValue) }

  /// Reads names with blanks between; those that nobody knows are left out.
  public init(text: String) { self.init(text.split(separator: " ").compactMap { Method(rawValue: String($0)) }) }

  public var text: String { names.joined(separator: " ") }
}
