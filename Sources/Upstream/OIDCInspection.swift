internal import Crypto
public import Domain

extension OIDC {
  /// Finds the provider by its issuer, and checks that its discovery document says the same one.
  ///
  /// An issuer that differs by a slash at the end only is taken as the document has it.
  public func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection {
    var connection = draft
    connection.clientID = draft.clientID.trimmed
    guard !connection.clientID.isEmpty else {
      throw .misconfigured("The client id is missing: register Gatehouse at the provider and enter its client id here.")
    }
    guard let issuer = IssuerAddress.normalise(draft.origin), let url = ResourceURL(issuer) else {
      throw .misconfigured("\(LogText.clean(draft.origin)) is not an issuer: enter its URL without query or fragment.")
    }
    connection.declareLoopback(url)
    try connection.requireSafe(url)
    connection.origin = issuer
    let provider = try await provider(of: &connection)
    guard !provider.knownAlgorithms.isEmpty else {
      let known = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
      throw .misconfigured("\(provider.issuer) signs ID tokens with none of \(known).")
    }
    if connection.resources.isEmpty { connection.resources = [ResourcePattern(provider.issuer)].compactMap { $0 } }
    if connection.scopes.isEmpty { connection.scopes = Self.usefulScopes(of: provider) }
    return connection
  }

  /// The scopes that identify a person and keep the credential fresh, as far as the provider knows them.
  static func usefulScopes(of provider: ProviderMetadata) -> [String] {
    guard let known = provider.scopes else { return ["openid", "profile", "email"] }
    return ["openid"] + ["profile", "email", "offline_access"].filter { known.contains($0) }
  }

  /// The live discovery document; corrects the issuer's last slash.
  private func provider(of connection: inout Connection) async throws(UpstreamFailure) -> ProviderMetadata {
    do {
      return try await providers.fetchMetadata(of: connection)
    } catch .invalidAnswer(let text) {
      throw .misconfigured(text)
    } catch .misconfigured(let text, _) {
      var other = connection
      other.origin = connection.origin.hasSuffix("/") ? String(connection.origin.dropLast()) : connection.origin + "/"
      do {
        let provider = try await providers.fetchMetadata(of: other)
        connection = other
        return provider
      } catch {
        throw .misconfigured(text)
      }
    }
  }
}
