internal import Domain
internal import HTTP
internal import JOSE
internal import JSON

extension OIDC {
  /// The claims to name a person by: the ID token's, or the userinfo endpoint's when the ID token has no name, or not
  /// the one that a list of people needs.
  ///
  /// What the endpoint says about another subject is discarded (OpenID Connect Core §5.3.2), and so is an answer that
  /// is no plain JSON: the name is for people to read, the subject decides who somebody is.
  ///
  /// - Throws: `transient` when the provider is down: a name that is missing now would be there next time.
  func person(
    _ claims: JWTClaims, _ token: Secret, _ provider: ProviderMetadata, _ connection: Connection
  ) async throws(UpstreamFailure) -> JSONValue {
    let isEnough = connection.admission == .listed ? claims.json.verifiedEmail : claims.json.personName
    guard isEnough == nil, let endpoint = provider.userinfoEndpoint,
      let bearer = FieldValue("Bearer \(token.revealedText)")
    else { return claims.json }
    var call = Dialer.Call(url: endpoint)
    call.headers.set("authorization", bearer)
    do {
      let person = try await dialer.send(call, for: connection).providerObject()
      return person.string("sub") == claims.subject ? person : claims.json
    } catch {
      switch error {
      case .transient, .ambiguous: throw error.withNothingSent
      case .refused, .misconfigured, .invalidAnswer: return claims.json
      }
    }
  }
}
