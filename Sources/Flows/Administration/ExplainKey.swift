import Domain
import Storage

extension ExplainVend {
  /// A request with an API key, as far as it is known beforehand.
  public struct KeyQuestion: Sendable {
    /// A name or id.
    public var key: String
    /// How the proxy would be asked to call the URL; `nil` for a token.
    public var method: String?
    /// The address that it would come from.
    public var address: String?
    /// The page that its field Referer would name.
    public var referrer: String?

    public init(key: String, method: String? = nil, address: String? = nil, referrer: String? = nil) {
      self.key = key
      self.method = method
      self.address = address
      self.referrer = referrer
    }
  }

  func explanation(of asked: KeyQuestion, _ question: Question) async throws -> Explanation {
    guard !AuthenticateAPIKey.isMeant(by: asked.key) else {
      throw Refusal(.invalidRequest, "That is the secret of a key: name the key's id, which begins with key_.")
    }
    let keys = try await here.store.read { tx in try tx.apiKeys(called: asked.key).compactMap { try tx.apiKey($0) } }
    let key = try Self.only(of: keys, called: asked.key, id: \.id.text)
    let client = try await here.store.read { tx in try key.flatMap { try tx.client($0.client) } }
    let trace = VendTrace(person: nil)
    var refusal: Refusal?
    do {
      let request = try await request(asked, question, key, client, trace)
      try await VendToken(here).foresee(request, trace)
    } catch let refused as Refusal { refusal = refused }
    var explanation = Explanation(client: client, account: nil, steps: trace.steps, refusal: refusal)
    explanation.key = key
    return explanation
  }

  private func request(
    _ asked: KeyQuestion, _ question: Question, _ key: ClientAPIKey?, _ client: Client?, _ trace: VendTrace
  ) async throws -> VendRequest {
    guard let key, let client else {
      trace.refused(.key, "No API key has this name or id.")
      throw Refusal(.invalidToken, "There is no such API key.")
    }
    try checkLife(of: key, trace)
    try checkLife(of: client, of: key, trace)
    try checkOrigin(asked, key, trace)
    try await checkQuota(of: key, trace)
    guard let url = ResourceURL(question.url) else {
      trace.refused(.url, "It is no plain http or https URL without fragment and user info.")
      throw Refusal(.invalidTarget, "resource is no plain http or https URL without fragment and user info.")
    }
    trace.passed(.url, "Read as \(url.withoutQuery).")
    if key.kind == .publishable, asked.method == nil {
      trace.noted(.key, "It is publishable and gets no token: what follows holds for the proxy.")
    }
    var shown = key
    shown.shownSlot = key.slots.first { $0.isLive(at: here.clock.now()) }?.number
    var request = VendCaller.key(shown).request(url, minimumLifetime: question.minimumLifetime)
    request.proxiedMethod = asked.method?.uppercased() ?? (key.kind == .publishable ? "GET" : nil)
    return request
  }

  private func checkLife(of key: ClientAPIKey, _ trace: VendTrace) throws {
    let now = here.clock.now()
    if key.revokedAt != nil {
      trace.refused(.key, "\(key.name) was revoked.")
      throw Refusal(.invalidToken, "The API key was revoked. An administrator can make another.")
    }
    let live = key.slots.filter { $0.isLive(at: now) }
    guard !live.isEmpty else {
      trace.refused(.key, "No secret of \(key.name) works any more: each has expired or was ended.")
      throw Refusal(.invalidToken, "The API key has expired. An administrator can make the next one.")
    }
    let words = live.map { "slot \($0.number) for \(Self.words($0.expiresAt - now)) more" }.joined(separator: ", ")
    trace.passed(.key, "A secret of \(key.name) (\(key.id)) works: \(words).")
  }

  private static func words(_ seconds: Int64) -> String {
    seconds >= 2 * 86_400 ? "\(seconds / 86_400) days" : "\(seconds) s"
  }

  private func checkLife(of client: Client, of key: ClientAPIKey, _ trace: VendTrace) throws {
    guard !client.isDisabled else {
      trace.refused(.client, "\(client.name), which the key belongs to, is disabled.")
      throw Refusal(.invalidToken, "The client of the API key is disabled.")
    }
    trace.passed(.client, "It belongs to \(client.name) (\(client.id)).")
  }

  private func checkOrigin(_ asked: KeyQuestion, _ key: ClientAPIKey, _ trace: VendTrace) throws {
    let limits = key.limits
    if !limits.referrers.isEmpty {
      let pages = limits.referrers.map(\.text).joined(separator: ", ")
      if let referrer = asked.referrer {
        guard limits.allows(referrer: referrer) else {
          trace.refused(.allowlist, "\(referrer) is none of its pages: \(pages).")
          throw Refusal(.referrerNotAllowed, "The API key is not for the page that the field Referer names.")
        }
        trace.passed(.allowlist, "\(referrer) is one of its pages: \(pages).")
      } else {
        trace.noted(.allowlist, "It is taken from these pages alone: \(pages).")
      }
    }
    guard !limits.networks.isEmpty else { return }
    let networks = limits.networks.joined(separator: ", ")
    if let address = asked.address {
      guard limits.networks.holdNetwork(of: address) else {
        trace.refused(.allowlist, "\(address) is in none of its networks: \(networks).")
        throw Refusal(.networkNotAllowed, "The API key is not taken from this address.")
      }
      trace.passed(.allowlist, "\(address) is in one of its networks: \(networks).")
    } else {
      trace.noted(.allowlist, "It is taken from these networks alone: \(networks).")
    }
  }

  private func checkQuota(of key: ClientAPIKey, _ trace: VendTrace) async throws {
    let limits = key.limits
    let words = [(limits.perMinute, "minute"), (limits.perDay, "day")].compactMap { most, span in
      most.map { "\($0) calls a \(span)" }
    }.joined(separator: " and ")
    guard !words.isEmpty else { return }
    if let refusal = try await here.countedUses.refusal(of: key, at: here.clock.now(), here) {
      trace.refused(.limits, "It may make \(words), and has made them.")
      throw refusal
    }
    trace.passed(.limits, "It may make \(words), and some are left.")
  }
}
