public import Domain
import Storage

/// Says why an app does or does not get something for a URL, by the rules of the vend itself and without one.
public struct ExplainVend: Sendable {
  let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What is asked, as it was typed.
  public struct Question: Sendable {
    /// A name or id.
    public var client: String
    /// A name, user name or id; empty for a client that acts for itself.
    public var account: String
    public var url: String
    /// Seconds that the token must still be good for.
    public var minimumLifetime: Int64
    /// The address that an unattended job would ask from; `nil` when the person is there.
    public var unattendedFrom: String?
    /// The request with an API key that is meant, in place of one of ``client``; `nil` where none would be shown.
    public var byKey: KeyQuestion?

    public init(client: String, account: String, url: String, minimumLifetime: Int64 = 0) {
      self.client = client
      self.account = account
      self.url = url
      self.minimumLifetime = minimumLifetime
    }
  }

  public struct Explanation: Sendable {
    public let client: Client?
    public let account: Account?
    public internal(set) var key: ClientAPIKey?
    /// In the order in which they are asked; the last one decides.
    public let steps: [VendStep]
    /// What the app would be told; `nil` when it would get something.
    public let refusal: Refusal?
  }

  /// - Throws: `Refusal` `invalid_request` when a name means several.
  public func callAsFunction(_ question: Question) async throws -> Explanation {
    if let asked = question.byKey { return try await explanation(of: asked, question) }
    let (clients, accounts) = try await here.store.read { tx in
      (
        try tx.clients(called: question.client).compactMap { try tx.client($0) },
        question.account.isEmpty ? [] : try tx.accounts(called: question.account).compactMap { try tx.account($0) }
      )
    }
    let client = try Self.only(of: clients, called: question.client, id: \.id.text)
    let account = try Self.only(of: accounts, called: question.account, id: \.id.text)
    let trace = VendTrace(person: account?.name)
    let now = here.clock.now()
    var refusal: Refusal?
    do {
      let request = try await request(question, client, account, trace)
      if let client, let account, request.unattended == nil {
        let isLive = try await here.store.read { try $0.hasLiveFamily(of: account.id, for: client.id, at: now) }
        if !isLive {
          trace.noted(
            .grant,
            "\(client.name) holds no token of \(account.name) at present: they ended, or there was none. "
              + "What follows holds once it has signed \(account.name) in.")
        }
      }
      try await VendToken(here).foresee(request, trace)
    } catch let refused as Refusal { refusal = refused }
    return Explanation(client: client, account: account, steps: trace.steps, refusal: refusal)
  }

  /// What was called so; that with the id goes before what has it as a name.
  static func only<Entry>(of found: [Entry], called name: String, id: (Entry) -> String) throws -> Entry? {
    if let exact = found.first(where: { id($0) == name }) { return exact }
    guard found.count < 2 else {
      throw Refusal(.invalidRequest, "Several are called \(name): name the id of the one that you mean.")
    }
    return found.first
  }

  private func request(
    _ question: Question, _ client: Client?, _ account: Account?, _ trace: VendTrace
  ) async throws -> VendRequest {
    guard let client else {
      trace.refused(.client, "No client has this name or id.")
      throw Refusal(.invalidClient, "The client is disabled or deleted.")
    }
    trace.passed(.client, "\(client.name) (\(client.id)) is registered.")
    if !client.isDisabled {
      if let address = question.unattendedFrom {
        try checkUnattended(client, from: address, trace)
      } else {
        try checkGrant(client, question, trace)
      }
    }
    guard let url = ResourceURL(question.url) else {
      trace.refused(.url, "It is no plain http or https URL without fragment and user info.")
      throw Refusal(.invalidTarget, "resource is no plain http or https URL without fragment and user info.")
    }
    trace.passed(.url, "Read as \(url.withoutQuery).")
    guard question.account.isEmpty || account != nil else {
      trace.refused(.person, "No account has this name, user name or id.")
      throw question.unattendedFrom == nil ? Refusal.endedToken : VendRule.noUnattendedConsent
    }
    if question.unattendedFrom != nil, account?.isDisabled ?? true {
      trace.refused(.person, "A job asks for a person: one who has an account that is not disabled.")
      throw VendRule.noUnattendedConsent
    }
    var request = VendRequest(
      client: client.id, account: account?.id, resource: url, minimumLifetime: question.minimumLifetime)
    if question.unattendedFrom != nil { request.unattended = UnattendedJob(reason: "") }
    if !client.scope.contains(Scope.vend) { request.portal = try await portal(of: client, for: url) }
    return request
  }

  /// The connection as whose ArcGIS portal a client is answered that vends nothing.
  private func portal(of client: Client, for url: ResourceURL) async throws -> ConnectionID? {
    let usable = try await here.knownConnections.all(in: here.store).filter {
      $0.kind.isPortal && client.permission(for: $0.id) != nil
    }
    return Connection.covering(url, among: usable)?.0.id
  }

  /// Whether the client's jobs may run unattended, and from there.
  private func checkUnattended(_ client: Client, from address: String, _ trace: VendTrace) throws {
    if let refusal = client.refusal(using: .tokenExchange) {
      trace.refused(.grant, "\(client.name) lacks the grant \(Client.Grant.tokenExchange.shortName).")
      throw refusal
    }
    guard client.unattendedKeys != nil else {
      trace.refused(.grant, "\(client.name) is not registered for unattended use.")
      throw VendUnattended.notRegistered
    }
    trace.passed(.grant, "\(client.name) has keys for unattended requests.")
    let networks = client.options.unattendedNetworks.joined(separator: ", ")
    guard client.isNetworkAllowed(address) else {
      trace.refused(.allowlist, "\(address) is in none of the networks of its jobs: \(networks).")
      throw VendUnattended.foreignAddress
    }
    trace.passed(.allowlist, "\(address) is in one of the networks of its jobs: \(networks).")
  }

  /// Whether the client can come by a token of ours that vends.
  private func checkGrant(_ client: Client, _ question: Question, _ trace: VendTrace) throws {
    let grants: [Client.Grant] = question.account.isEmpty ? [.clientCredentials] : [.authorizationCode, .deviceCode]
    guard let grant = grants.first(where: { client.refusal(using: $0) == nil }) else {
      trace.refused(.grant, "\(client.name) lacks the grant \(grants.map(\.shortName).joined(separator: " or ")).")
      throw Refusal(.unauthorizedClient, "This client is not registered for this grant type.")
    }
    if !client.scope.contains(Scope.vend), client.scope.contains(Scope.arcGIS) {
      trace.passed(.grant, "\(client.name) may ask for ArcGIS portals (scope \(Scope.arcGIS)) by \(grant.shortName).")
      return
    }
    guard client.scope.contains(Scope.vend) else {
      trace.refused(.grant, "\(client.name) may not ask for the scope \(Scope.vend).")
      throw Refusal(.invalidScope, "The scope holds a word that this client is not allowed.")
    }
    trace.passed(.grant, "\(client.name) may ask for the scope \(Scope.vend) by \(grant.shortName).")
  }
}
