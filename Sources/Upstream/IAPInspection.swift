internal import Crypto
public import Domain
internal import HTTP
internal import JSON

extension IAP {
  /// Finds the tenant behind the addresses, and checks that it is there and signs as it should.
  public func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection {
    var connection = draft
    connection.clientID = draft.clientID.trimmed
    let options = try draft.entra
    guard !connection.clientID.isEmpty else { throw .misconfigured("The client id is missing.") }
    guard let url = ResourceURL(draft.origin) else {
      throw .misconfigured("\(LogText.clean(draft.origin)) is not an address of Microsoft Entra.")
    }
    guard !draft.resources.isEmpty else {
      throw .misconfigured("Name the hosts behind the proxy: the token is sent to no others.")
    }
    connection.declareLoopback(url)
    for resource in draft.resources.compactMap({ ResourceURL($0.text) }) {
      connection.declareLoopback(resource)
      try connection.requireSafe(resource)
    }
    for address in [options.authorizeURL, options.tokenURL, options.logoutURL] {
      guard let url = ResourceURL(address) else {
        throw .misconfigured("\(LogText.clean(address)) is not a web address.")
      }
      try connection.requireSafe(url)
    }
    try checkTenants(of: connection)
    try await nameTenant(of: &connection)
    let provider: ProviderMetadata
    do { provider = try await providers.fetchMetadata(of: connection) } catch .invalidAnswer(let text) {
      throw .misconfigured(text)
    }
    guard provider.knownAlgorithms.contains(.rs256) else {
      throw .misconfigured("\(provider.issuer) does not sign ID tokens with RS256.")
    }
    connection.scopes = connection.scopesWithOpenID
    return connection
  }

  /// Tenants are listed exactly where the address does not name one.
  private func checkTenants(of connection: Connection) throws(UpstreamFailure) {
    let tenants = try connection.entra.tenants
    if let wrong = tenants.first(where: { !IAPOptions.isTenantID($0) }) {
      throw .misconfigured("\(LogText.clean(wrong)) is no tenant id, which is a GUID in lower case.")
    }
    if connection.tenant == "consumers" {
      throw .misconfigured("Personal accounts have no application proxy: name a tenant.")
    }
    guard IAPOptions.sharedTenants.contains(connection.tenant) else { return }
    guard !tenants.isEmpty else {
      throw .misconfigured(
        "The address is for people of every organisation: list the tenants whose people may sign in, or name one in it."
      )
    }
  }

  /// Puts the tenant's id in the place of one of its domains, as its issuer has it.
  private func nameTenant(of connection: inout Connection) async throws(UpstreamFailure) {
    let isNamed = IAPOptions.isTenantID(connection.tenant) || IAPOptions.sharedTenants.contains(connection.tenant)
    guard !isNamed, let asked = ResourceURL(connection.origin) else { return }
    let call = Dialer.Call(url: ProviderMetadata.url(of: connection.origin))
    let reply = try await dialer.send(call, for: connection)
    let json: JSONValue
    do {
      json = try EntraAnswer.object(
        status: reply.status, body: reply.body, retryAfter: reply.retryAfter, host: reply.host)
    } catch {
      throw .misconfigured("There is no tenant \(LogText.clean(connection.tenant)) at \(reply.host).")
    }
    guard let issuer = json.string("issuer"), let url = ResourceURL(issuer), url.origin == asked.origin else {
      throw .misconfigured("\(reply.host) names no issuer for \(LogText.clean(connection.tenant)).")
    }
    connection.origin = issuer
  }
}
