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

  /// Whether the client signed it for us, and it is used for the first time.
  ///
  /// - Throws: `Refusal` `temporarily_unavailable` when the client's keys cannot be fetched from where they are.
  func isProof(of entry: KnownClients.Entry, _ here: Installation, at now: Timestamp) async throws -> Bool {
    let client = entry.client
    let rule = ClientAssertionRule(
      client: client.id.text, audiences: audiences(for: client, here), algorithms: client.assertionAlgorithms)
    guard let accepted = try await check(rule, entry, here, at: now) else { return false }
    let hash = TokenHash(of: accepted.tokenID)
    return try await here.store.useAssertion(
      hash, of: client.id, until: Timestamp(seconds: accepted.expiresAt), at: now)
  }

  /// The issuer alone, unless the client was registered for the former rule (reference: X-3).
  private func audiences(for client: Client, _ here: Installation) -> [String] {
    client.options.takesEndpointAudience ? [here.issuer, here.issuer + "/oauth2/token"] : [here.issuer]
  }

  private func check(
    _ rule: ClientAssertionRule, _ entry: KnownClients.Entry, _ here: Installation, at now: Timestamp
  ) async throws -> ClientAssertionRule.Accepted? {
    let keys = try await here.keys(of: entry)
    do { return try rule.check(jws, keys: keys.keys, now: now.seconds) } catch .signature(.unknownKey) {
      // The client may have changed its keys a moment ago.
      guard case .at(let url) = entry.client.options.keys else { return nil }
      let fresh = try await here.fetching(url, for: entry.client) { try await $0.keysNow(at: $1) }
      guard let fresh else { return nil }
      return try? rule.check(jws, keys: fresh.keys, now: now.seconds)
    } catch { return nil }
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
