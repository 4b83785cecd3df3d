public import Domain
import Storage
import Upstream

/// Adds a connection, after it was checked against the live upstream.
public struct CreateConnection: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// - Parameters:
  ///   - draft: What the administrator typed; origin and resources may be in any form that people use.
  ///   - clientSecret: Our secret at the upstream, if it gave one.
  ///   - key: The API key, for the kind that is one.
  ///   - administrator: `nil` on the command line.
  ///   - visitor: Where they come from.
  /// - Returns: The connection as stored, with what the upstream corrected.
  /// - Throws: `Refusal` with a sentence for the administrator: `upstream_error` for what the upstream was found to be,
  ///   `invalid_request` for the rest.
  public func callAsFunction(
    _ draft: Connection, clientSecret: Secret?, key: TypedToken? = nil, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> Connection {
    if let objection = Self.objections(to: draft).first { throw Refusal(.invalidRequest, objection.text) }
    let taken = try await here.store.read { try Self.taken(draft, $0) }
    if let taken { throw taken }
    var checked: Connection
    let address = ResourceURL(draft.origin.contains("://") ? draft.origin : "https://\(draft.origin)")
    var layers = LayersInFront(hasProxy: false, hasNetwork: false)
    if let address {
      let (proxy, network) = (try await here.proxy(before: address), try await here.network(before: address))
      layers = LayersInFront(hasProxy: proxy != nil, hasNetwork: network != nil)
    }
    do {
      checked = try await here.upstreams.inspect(draft, behind: layers)
    } catch { throw Refusal(.upstreamError, error.text) }
    checked.hasClientSecret = clientSecret != nil
    let connection = checked
    let sealed = try clientSecret.map { try here.vault.seal($0, in: connection.secretContext) }
    let own =
      connection.kind.isServiceOwned
      ? try await here.ownCredential(connection, key: key, clientSecret: clientSecret) : nil
    let created = here.recording(
      AuditEvent(
        .connectionCreated, at: here.clock.now(), origin: visitor.origin, account: administrator,
        connection: connection.id))
    let refusal: Refusal? = try await here.store.write { tx in
      // Another one may have been made while the upstream answered.
      if let taken = try Self.taken(connection, tx) { return taken }
      try tx.insert(connection, clientSecret: sealed)
      if let own {
        try tx.insertServiceAccount(at: own.credential.connectedAt)
        try tx.put(own.credential, tokens: own.tokens)
      }
      try created(tx)
      return nil
    }
    if let refusal { throw refusal }
    return connection
  }

  private static func taken(_ draft: Connection, _ tx: Transaction) throws -> Refusal? {
    if try tx.connection(draft.id) != nil {
      return Refusal(.invalidRequest, "There is a connection with the id \(draft.id) already. Choose another id.")
    }
    return try tx.connections().contains { DisplayName.areAlike($0.name, draft.name) } ? nameTaken(draft.name) : nil
  }

  /// People could not tell the connections apart when they choose where to sign in.
  public static func nameTaken(_ name: String) -> Refusal {
    Refusal(
      .invalidRequest, "There is a connection called \(name) already. Choose a name that people can tell from it.")
  }

  /// Everything that is wrong with a draft as far as one can tell without asking the upstream, with the field to mend.
  public static func objections(to draft: Connection) -> [(field: String, text: String)] {
    var found: [(String, String)] = []
    if !DisplayName.isPlain(draft.name) {
      found.append(
        ("name", "Give the connection a name of 1 to 100 bytes, without line breaks and invisible characters."))
    }
    if reserved.contains(draft.id.text) {
      found.append(("id", "The id \(draft.id) is used by Gatehouse itself. Choose another."))
    }
    if draft.origin.isEmpty, draft.provider.endpoints == nil {
      found.append((draft.originField, "Enter the address of the service."))
    }
    if draft.kind.hasRegistration, draft.clientID.isEmpty || draft.clientID.utf8.count > 200 {
      found.append(("client_id", "Enter the client id that the upstream gave Gatehouse."))
    }
    if draft.admission == .listed, draft.admitted.isEmpty {
      found.append(("admitted", "List who may get an account, or admit invited people only."))
    }
    if !draft.kind.connectsInBrowser, draft.admission != .invited {
      found.append(("admission", "Nobody signs in with it: leave it at invited people only."))
    }
    if draft.iap != nil, draft.resources.isEmpty {
      found.append(("resources", "Name the hosts behind the proxy: the token is sent to no others."))
    }
    if let days = draft.longestKeptDays, !Keeping.longestDays.contains(days) {
      found.append(("kept_days", "Enter 1 to \(Keeping.longestDays.upperBound) days."))
    }
    for tenant in draft.iap?.tenants ?? [] where !IAPOptions.isTenantID(tenant) {
      found.append(("tenants", "\(tenant) is no tenant id, which is a GUID."))
    }
    return found + objections(to: draft.portal) + providerObjections(to: draft)
  }

  private static func objections(to portal: PortalOptions) -> [(field: String, text: String)] {
    var found: [(String, String)] = []
    if let minutes = portal.refreshTokenMinutes, minutes != -1, !(1...129_600).contains(minutes) {
      found.append(
        ("refresh_token_lifetime", "Enter 1 to 129600 minutes (90 days), or -1 for the longest the portal allows."))
    }
    if !(0...90 * 86_400).contains(portal.exchangeBelowSeconds) {
      found.append(("exchange_interval", "Enter 0 to 2160 hours (90 days)."))
    }
    if !(1...TypedLogin.longestTokenMinutes).contains(portal.tokenMinutes) {
      found.append(("token_minutes", "Enter 1 to \(TypedLogin.longestTokenMinutes) minutes (14 days)."))
    }
    if !(1...129_600).contains(portal.federatedTokenMinutes) {
      found.append(("federated_minutes", "Enter 1 to 129600 minutes (90 days)."))
    }
    let isTag = portal.locale?.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
    }
    if isTag == false || portal.locale?.isEmpty == true || portal.locale?.utf8.count ?? 0 > 35 {
      found.append(("locale", "Enter a language tag such as sv or pt-BR."))
    }
    return found
  }

  private static let reserved: Set = [
    "admin", "account", "callback", "oauth2", "signin", "signout", "setup", "v1", "health", "assets", "new",
    "sharing", "servers", "rest", "info",
  ]
}

extension Connection {
  /// The field of the form that holds ``origin``.
  var originField: String {
    switch kind {
    case .oidc: provider.endpoints == nil ? "issuer" : "authorization_endpoint"
    case .iap: "config"
    case _ where kind.isNetwork: "web_address"
    default: "portal_url"
    }
  }
}
