public import Domain
internal import HTTP
internal import HTTPClient

/// What one request carries to be let through to a service, whatever that is.
public struct Passage: Sendable {
  /// Fields that carry a token, or a proof that was made for this request alone.
  public var headers: [(name: String, value: Secret)]
  /// What libcurl applies by itself, on connections of its owner.
  var network: NetworkCredential?

  public init(headers: [(name: String, value: Secret)]) { self.headers = headers }

  init(headers: [(name: String, value: Secret)] = [], network: NetworkCredential?) {
    self.headers = headers
    self.network = network
  }

  /// Puts it on `request`.
  ///
  /// - Throws: `misconfigured` when it has a character that no field may hold.
  func apply(to request: inout OutboundRequest) throws(UpstreamFailure) {
    for field in headers {
      guard let name = FieldName(field.name), let value = FieldValue(field.value.revealedText) else {
        throw .misconfigured("The credential has a character that no field may hold.")
      }
      request.headers.set(name, value)
    }
    request.network = network
  }
}

/// A kind whose credential opens the network in front of a service, and leaves in no answer: Gatehouse makes the request.
public protocol NetworkKind: FormKind {
  /// What lets one request to `url` through, made of `secret`, which is kept in the place of an access token.
  ///
  /// Connections are shared within one generation of `credential` alone.
  /// - Throws: `misconfigured` when it must not go there.
  func passage(
    with secret: Secret, of credential: Credential, to url: ResourceURL, _ registration: Registration
  ) async throws(UpstreamFailure) -> Passage

  /// Shows it once more at the connection's own address, where it was proved: whether it is taken there still.
  ///
  /// - Throws: `refused` when it is not; anything else when the answer does not say.
  func prove(_ secret: Secret, of credential: Credential, _ registration: Registration) async throws(UpstreamFailure)
}

extension NetworkKind {
  /// There is nothing to renew.
  public func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer { throw .refused("Only the person can renew it.") }

  public func tokens(
    from answer: UpstreamAnswer, replacing old: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamTokens { throw .refused("Only the person can renew it.") }

  func prove(
    _ secret: Secret, of credential: Credential, _ registration: Registration, by dialer: Dialer
  ) async throws(UpstreamFailure) {
    let connection = registration.connection
    guard let url = ResourceURL(connection.origin) else { throw .misconfigured("The address is no web address.") }
    let passage = try await passage(with: secret, of: credential, to: url, registration)
    let (status, _) = try await dialer.head(of: connection.origin, passage, for: connection)
    if status == 401 { throw .refused("\(connection.host) answered 401 at its own address, too.") }
    guard NetworkLogin.proves(status) else {
      throw .transient("\(connection.host) answered \(status), which proves nothing.", retryAfter: nil)
    }
  }

  /// It leaves in no field of an answer.
  public func headers(
    with token: Secret, for resource: ResourceURL, _ registration: Registration
  ) -> [(name: String, value: Secret)] { [] }
}

extension NetworkCredential.Owner {
  init(_ credential: Credential) {
    self.init(credential: credential.id.text, generation: credential.generation)
  }
}
