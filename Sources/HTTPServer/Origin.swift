import HTTP

/// Where the requests of a connection come from: the socket's other end, or whoever a trusted proxy names.
struct Origin {
  private let address: String
  private let isSecure: Bool
  /// Present when the other end is a trusted proxy.
  private let proxies: Admission?

  init(of peer: Peer, proxies: Admission) {
    address = peer.address.description
    isSecure = peer.isSecure
    self.proxies = proxies.trusts(peer.address) ? proxies : nil
  }

  /// The request, with the address and scheme its sender used.
  ///
  /// - Throws: `.refused` when a trusted proxy's fields contradict each other.
  func request(_ head: consuming RequestHead, body: [UInt8]) throws(Ending) -> Request {
    guard let proxies else { return Request(head, body: body, remoteAddress: address, isSecure: isSecure) }
    let forwarded: ForwardedFields
    do throws(ParseFailure) { forwarded = try ForwardedFields(head.headers, trusts: proxies.trusts) } catch {
      throw .refused(error)
    }
    return Request(
      head, body: body, remoteAddress: forwarded.client?.description ?? address,
      isSecure: forwarded.isSecure ?? isSecure)
  }
}
