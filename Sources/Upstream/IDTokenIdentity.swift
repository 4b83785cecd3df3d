internal import Crypto
internal import Domain
internal import JOSE
internal import JSON

extension ProviderMetadata {
  /// The algorithms that ID tokens may be signed with: what the provider announces and we know.
  var knownAlgorithms: Set<SignatureAlgorithm> {
    Set(idTokenAlgorithms.compactMap { SignatureAlgorithm(rawValue: $0) })
  }
}

extension JWTClaims {
  /// Who an ID token that was checked is about.
  ///
  /// `named` are the claims to take the display name from: a user name, or an address that the provider has verified.
  func identity(at connection: ConnectionID, _ issuer: String, named claims: JSONValue) -> UpstreamIdentity {
    let subject = subject ?? ""
    let name = claims.personName ?? json.personName ?? subject
    return UpstreamIdentity(connection: connection, issuer: issuer, subject: subject, displayName: name)
  }
}

extension JWTClaims {
  /// The provider's session, if it is named by a text that is worth keeping (OpenID Connect Back-Channel Logout §2.1).
  var sessionID: String? {
    json.string("sid").flatMap { (1...UpstreamLogout.longestSessionID).contains($0.utf8.count) ? $0 : nil }
  }
}

extension JSONValue {
  /// The user name among claims about a person, or an e-mail address that the provider vouches for.
  var personName: String? {
    [string("preferred_username"), verifiedEmail].compactMap { $0 }.first(where: UpstreamText.isName)
  }

  /// The e-mail address that the provider vouches for.
  var verifiedEmail: String? { bool("email_verified") == true ? string("email") : nil }
}

/// Whether ID tokens of one credential speak of the same person, by what they say and without their signatures.
enum IDTokenContinuity {
  /// Whether `newer`, got by a refresh, names another issuer or subject than `older` (OpenID Connect Core §12.2).
  ///
  /// It came over TLS from the token endpoint and proves nobody's identity any more: it is only a hint at sign-out. So
  /// its signature is no reason to lose tokens that the provider has rotated already, nor is one that cannot be read.
  static func isBroken(from older: Secret, to newer: Secret) -> Bool {
    guard let before = claims(of: older), let after = claims(of: newer) else { return false }
    return before.issuer != after.issuer || before.subject != after.subject
  }

  private static func claims(of token: Secret) -> JWTClaims? {
    do { return try JWTClaims(JWS(parsing: token.revealedText).unverifiedPayload) } catch { return nil }
  }
}
