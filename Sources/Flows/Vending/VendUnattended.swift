import Crypto
public import Domain
import JOSE
import Storage

/// Vends for a job of a client while the person is not there (reference: TV-12).
///
/// The client has authenticated in its usual way. That alone would let whoever holds its secret take what every person
/// connected, so the request is signed with a key apart from that, comes from where the jobs run, is for a connection that
/// an administrator let be used like this, and for a person who allowed just that.
public struct VendUnattended: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What the client presented, and what it wants to call.
  public struct Asked: Sendable {
    public let token: String
    public let resource: ResourceURL
    public let minimumLifetime: Int64
    public let audience: String?

    public init(token: String, resource: ResourceURL, minimumLifetime: Int64, audience: String?) {
      self.token = token
      self.resource = resource
      self.minimumLifetime = minimumLifetime
      self.audience = audience
    }
  }

  /// What `asked` comes to for the person that it names.
  ///
  /// - Throws: `Refusal` `invalid_request` for a signed request that does not count; otherwise as ``VendToken`` does.
  public func request(_ asked: Asked, from client: Client, _ visitor: Visitor) async throws -> VendRequest {
    let now = here.clock.now()
    guard client.options.unattendedKeys != nil else { throw Self.notRegistered }
    guard client.isNetworkAllowed(visitor.origin.address) else {
      throw Self.foreignAddress
    }
    let accepted = try await accepted(asked.token, from: client, at: now)
    guard UnattendedJob.isReason(accepted.reason) else {
      throw Self.refusal("reason is 1 to 256 characters, without line breaks and invisible ones")
    }
    // Apart from assertions, of which the same request may hold one.
    let hash = TokenHash(of: "\(VendRequestRule.type) \(accepted.tokenID)")
    let end = Timestamp(seconds: accepted.expiresAt)
    guard try await here.store.useAssertion(hash, of: client.id, until: end, at: now) else {
      throw Self.refusal("jti was used before")
    }
    guard let account = AccountID(accepted.subject) else { throw VendRule.noUnattendedConsent }
    var request = VendRequest(
      client: client.id, account: account, resource: asked.resource, minimumLifetime: asked.minimumLifetime,
      audience: asked.audience)
    request.unattended = UnattendedJob(reason: accepted.reason)
    return request
  }

  private func accepted(
    _ token: String, from client: Client, at now: Timestamp
  ) async throws -> VendRequestRule.Accepted {
    guard let entry = try await here.knownClients.client(client.id, in: here.store), let keys = entry.unattendedKeys
    else { throw Self.notRegistered }
    let rule = VendRequestRule(
      client: client.id.text, issuer: here.issuer, algorithms: client.assertionAlgorithms)
    let loginKeys = try await here.keys(of: entry).keys
    do { return try rule.check(token, keys: keys, apartFrom: loginKeys, now: now.seconds) } catch let failure {
      throw Self.refusal(failure.words)
    }
  }

  static let foreignAddress = Refusal(
    .invalidRequest, "Unattended requests of this client are not taken from this address.")
  static let notRegistered = refusal("this client is not registered for unattended requests")

  private static func refusal(_ words: String) -> Refusal { Refusal(.invalidRequest, "subject_token: \(words).") }
}

extension VendRequestFailure {
  /// Which check failed, without a word of what was sent (reference: TV-15).
  fileprivate var words: String {
    switch self {
    case .signature: "it is not signed with a key that this client registered for unattended requests"
    case .type: "typ is not \(VendRequestRule.type)"
    case .keyNotSeparate: "it is signed with a key that the client authenticates with"
    case .issuer: "iss is not the client that authenticated"
    case .subject: "sub is missing"
    case .audience: "aud is not the issuer of this server, as a string"
    case .issueTime: "iat is missing, more than \(VendRequestRule.longestAge) s old, or in the future"
    case .expiry: "exp is missing, has passed, or is more than \(VendRequestRule.longestLife) s ahead"
    case .tokenID: "jti is missing, or longer than 256 bytes"
    case .reason: "reason is missing"
    }
  }
}

extension Client {
  /// Whether its unattended jobs may run at this address.
  func isNetworkAllowed(_ address: String) -> Bool {
    options.unattendedNetworks.holdNetwork(of: address)
  }

  /// What its unattended jobs sign with; `nil` when there is nothing, or nothing that can be read.
  var unattendedKeys: JWKSet? { options.unattendedKeys.flatMap { try? JWKSet(parsing: Array($0.utf8)) } }
}
