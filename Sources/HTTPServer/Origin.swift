import HTTP

/// Where the requests of a connection come from: the socket's other end, or whoever a trusted proxy names.
struct Origin {
  private let address: String
  private let isSecure: Bool
  /// Present when the other end is a trusted proxy.
  private let proxies: Admission?
  /// The field in which a trusted proxy passes on client certificates.
  private let certificateField: FieldName?

  init(of peer: Peer, proxies: Admission, certificateField: FieldName?) {
    self.certificateField = certificateField
    address = peer.address.description
    isSecure = peer.isSecure
    self.proxies = proxies.trusts(peer.address) ? proxies : nil
  }

  /// The request, with the address and scheme its sender used.
  ///
  /// - Throws: `.refused` when a trusted proxy's fields contradict each other.
  func request(_ head: consuming RequestHead, body: [UInt8], of peer: Peer) throws(Ending) -> Request {
    guard let proxies else {
      var request = Request(head, body: body, remoteAddress: address, isSecure: isSecure)
      if isSecure { request.clientCertificate = peer.certificate }
      return request
    }
    let forwarded: ForwardedFields
    do throws(ParseFailure) { forwarded = try ForwardedFields(head.headers, trusts: proxies.trusts) } catch {
      throw .refused(error)
    }
    let certificate: [UInt8]?
    do throws(ParseFailure) { certificate = try forwardedCertificate(head.headers) } catch { throw .refused(error) }
    var request = Request(
      head, body: body, remoteAddress: forwarded.client?.description ?? address,
      isSecure: forwarded.isSecure ?? true)
    request.clientCertificate = certificate
    return request
  }

  /// - Throws: ``ParseFailure`` 400 when the field stands there twice or holds no certificate: then the proxy is not
  ///   what it was taken for.
  private func forwardedCertificate(_ headers: Headers) throws(ParseFailure) -> [UInt8]? {
    guard let certificateField else { return nil }
    let values = headers.values(of: certificateField)
    guard let value = values.first, !value.isEmpty else { return nil }
    guard values.count == 1, let certificate = ForwardedCertificate(value) else {
      throw ParseFailure(400, "the field of the client certificate is malformed")
    }
    return certificate.der
  }
}
