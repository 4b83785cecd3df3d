public import Domain
internal import HTTP

extension OAuthProvider {
  /// Checks the typed endpoints, and that something answers at the one that says who somebody is.
  ///
  /// Nothing more can be tried without a person: token endpoints answer what they like to a request without a code.
  public func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection {
    var connection = draft
    connection.clientID = draft.clientID.trimmed
    guard !connection.clientID.isEmpty else {
      throw .misconfigured("The client id is missing: register Gatehouse at the provider and enter its client id here.")
    }
    var endpoints = try connection.oauthEndpoints()
    endpoints.revocation = endpoints.revocation.map {
      $0.replacing("{client_id}", with: PercentCoding.encode(connection.clientID))
    }
    connection.provider.endpoints = endpoints
    for text in endpoints.all {
      guard let url = ResourceURL(text), !text.contains("#") else {
        throw .misconfigured("\(LogText.clean(text)) is not an endpoint: enter its whole URL.")
      }
      connection.declareLoopback(url)
      try connection.requireSafe(url)
    }
    if draft.origin.trimmed.isEmpty {
      connection.origin = ResourceURL(endpoints.authorization)?.origin ?? ""
    } else if let issuer = IssuerAddress.normalise(draft.origin) {
      connection.origin = issuer
    } else {
      throw .misconfigured("\(LogText.clean(draft.origin)) is not an issuer: enter its URL without query or fragment.")
    }
    let reply = try await dialer.send(Dialer.Call(url: endpoints.user), for: connection)
    if [404, 410].contains(reply.status) {
      throw .misconfigured("\(endpoints.user) was asked and does not exist (status \(reply.status)).")
    }
    if connection.resources.isEmpty {
      connection.resources = [ResourceURL(endpoints.user).flatMap { ResourcePattern($0.origin) }].compactMap { $0 }
    }
    return connection
  }
}
