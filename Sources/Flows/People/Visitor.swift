public import Domain

/// Who a request comes from, before anybody has signed in.
public struct Visitor: Sendable {
  public let origin: AuditEvent.Origin
  /// As the browser says; cut to 256 bytes before it is stored.
  public let userAgent: String
  /// The value of the cookie by which a browser is known again in which somebody signed in.
  var browserMark: Secret?
  /// The language in which they read our pages.
  var language: String?

  public init(requestID: String, address: String, userAgent: String) {
    origin = .init(requestID: requestID, address: address)
    self.userAgent = Self.stored(userAgent)
  }

  private init(origin: AuditEvent.Origin, userAgent: String) {
    self.origin = origin
    self.userAgent = userAgent
  }

  /// Whoever may run commands on this machine.
  public static let commandLine = Visitor(origin: .commandLine, userAgent: "")

  /// Gatehouse itself, without anybody asking.
  static let system = Visitor(origin: .system, userAgent: "")

  /// The same request, written down as the act of `administrator`, whatever it is about.
  public func acting(as administrator: AccountID) -> Visitor {
    var origin = origin
    origin.administrator = administrator
    return Visitor(origin: origin, userAgent: userAgent)
  }

  /// The same request, from a browser that is known by the value of a cookie, in which somebody reads a language; a value
  /// that we never made counts as none.
  public func known(by mark: String?, reading language: String) -> Visitor {
    var visitor = self
    visitor.language = language
    visitor.browserMark = mark.flatMap { $0.utf8.count == 43 ? Secret($0) : nil }
    return visitor
  }

  private static func stored(_ userAgent: String) -> String {
    // Counted in bytes first: walking the characters of every request's browser name costs microseconds.
    userAgent.utf8.count <= 256 ? userAgent : String(decoding: userAgent.utf8.prefix(256), as: UTF8.self)
  }

  var network: String { Flows.network(of: origin.address) }
}
