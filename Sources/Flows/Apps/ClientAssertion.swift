import Crypto
import Domain
import JOSE
import Logging
import Storage
import Upstream

/// What a client signed to prove who it is (RFC 7523 §2.2), read but not believed yet.
struct ClientAssertion: Sendable {
  let jws: JWS
  /// The id of the client that it claims to come from.
  let client: String

  /// `nil` for what is no signed token at all, names no client, or brings its own key.
  init?(_ text: String) {
    guard let jws = try? JWS(parsing: text), let client = ClientAssertionRule.claimedClient(of: jws) else { return nil }
    self.jws = jws
    self.client = client
  }

  /// What an assertion is worth.
  enum Verdict: Sendable {
    case proof
    /// Not signed by the client, as far as anybody can tell.
    case foreign
    /// Signed by the client, and yet not to be believed: why, for its developer.
    case refused(String)
  }

  /// Whether the client signed it for us, and it is used for the first time.
  ///
  /// - Throws: `Refusal` `temporarily_unavailable` when the client's keys cannot be fetched from where they are.
  func verdict(on entry: KnownClients.Entry, _ here: Installation, at now: Timestamp) async throws -> Verdict {
    let client = entry.client
    let rule = ClientAssertionRule(
      client: client.id.text, audiences: audiences(for: client, here), algorithms: client.assertionAlgorithms)
    let accepted: ClientAssertionRule.Accepted
    do { accepted = try await check(rule, entry, here, at: now) } catch let failure as ClientAssertionFailure {
      here.log.info(
        "a client assertion was refused",
        ["client": .string(client.id.text), "why": .string(failure.words(rule))])
      if case .signature = failure { return .foreign }
      return .refused(failure.words(rule))
    }
    let hash = TokenHash(of: accepted.tokenID)
    let isFirst = try await here.store.useAssertion(
      hash, of: client.id, until: Timestamp(seconds: accepted.expiresAt), at: now)
    return isFirst ? .proof : .refused("jti was used before")
  }

  /// The issuer alone, unless the client was registered for the former rule (reference: X-3).
  private func audiences(for client: Client, _ here: Installation) -> [String] {
    client.options.takesEndpointAudience ? [here.issuer, here.issuer + "/oauth2/token"] : [here.issuer]
  }

  private func check(
    _ rule: ClientAssertionRule, _ entry: KnownClients.Entry, _ here: Installation, at now: Timestamp
  ) async throws -> ClientAssertionRule.Accepted {
    let keys = try await here.keys(of: entry)
    do { return try rule.check(jws, keys: keys.keys, now: now.seconds) } catch .signature(.unknownKey) {
      // The client may have changed its keys a moment ago.
      guard case .at(let url) = entry.client.options.keys,
        let fresh = try await here.fetching(url, for: entry.client, { try await $0.keysNow(at: $1) })
      else { throw ClientAssertionFailure.signature(.unknownKey) }
      return try rule.check(jws, keys: fresh.keys, now: now.seconds)
    }
  }
}

extension ClientAssertionFailure {
  /// Which check failed, without a word of what was sent.
  fileprivate func words(_ rule: ClientAssertionRule) -> String {
    switch self {
    case .signature: "it is not signed with a key and an algorithm of this client"
    case .type: "typ says that it is something else"
    case .client: "iss and sub are not both the client"
    case .audience: "aud is not \(rule.audiences.joined(separator: " or ")), as a string"
    case .time:
      "exp is missing, has passed, or is more than \(ClientAssertionRule.longestLife) s ahead, or iat or nbf is"
    case .tokenID: "jti is missing, or longer than 256 bytes"
    }
  }
}

extension Client {
  /// What its assertions may be signed with; FAPI 2.0 §5.4.1 forbids RS256.
  var assertionAlgorithms: Set<SignatureAlgorithm> {
    options.profile == .fapi2 ? [.es256, .ps256, .edDSA] : [.es256, .ps256, .edDSA, .rs256]
  }
}

extension Installation {
  /// The public keys of a client, with the certificates beside them.
  func keys(of entry: KnownClients.Entry) async throws -> ClientKeySet {
    switch entry.client.options.keys {
    case .at(let url): try await fetching(url, for: entry.client) { try await $0.keys(at: $1) }
    case .inline, nil: entry.inlineKeys ?? ClientKeySet()
    }
  }

  fileprivate func fetching<T>(
    _ url: String, for client: Client, _ fetch: (ClientKeyDirectory, ClientAddress) async throws -> T
  ) async throws -> T {
    let address = ClientAddress(url, isTrusted: client.isTrusted)
    do { return try await fetch(upstreams.clientKeys, address) } catch let failure as ClientKeysUnavailable {
      log.warning(
        "the keys of a client cannot be fetched",
        ["client": .string(client.id.text), "url": .string(url), "reason": .string(failure.description)])
      throw Refusal(
        .temporarilyUnavailable, "The client's keys cannot be fetched from its jwks_uri at the moment.", retryAfter: 5)
    }
  }
}
