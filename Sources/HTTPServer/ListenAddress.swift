public import HTTP

/// Where the server listens: an address of this machine and a port.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  public let address: IPAddress
  /// 0 lets the system choose.
  public let port: UInt16

  public init(address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// Parses `127.0.0.1:8080` or `[::]:8080`; `[::]` takes IPv4 as well, `0.0.0.0` takes IPv4 only.
  ///
  /// - Throws: ``ServerFailure/configuration(_:)`` for anything else.
  public init(_ text: String) throws(ServerFailure) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw Self.failure(text)
    }
    var host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = host.dropFirst().dropLast() }
    guard let address = IPAddress(String(host)), isBracketed == (address.family == .v6) else {
      throw Self.failure(text)
    }
    self.init(address: address, port: port)
  }

  /// Finds out whether a server could listen here now, without listening.
  ///
  /// - Throws: ``ServerFailure/listen(_:)``.
  public func checkFree() throws(ServerFailure) { try ListeningSocket.checkFree(self) }

  public var description: String { address.family == .v4 ? "\(address):\(port)" : "[\(address)]:\(port)" }

  private static func failure(_ text: String) -> ServerFailure {
    .configuration("\"\(text)\" is no listen address; write one like 127.0.0.1:8080 or [::]:8080")
  }
}
