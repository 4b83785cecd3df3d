public import Domain

/// What a person holds for the network in front of an upstream.
///
/// A class, since the registration that it has could have one, too.
public final class NetworkPass: Sendable {
  private let kind: any NetworkKind
  private let registration: Registration
  private let secret: Secret
  private let credential: Credential

  /// `secret` is what is kept in the place of an access token of `credential`.
  public init(_ kind: any NetworkKind, _ registration: Registration, _ secret: Secret, of credential: Credential) {
    self.kind = kind
    self.registration = registration
    self.secret = secret
    self.credential = credential
  }

  /// What lets one request to `url` through; `nil` when that is not behind this network.
  ///
  /// - Throws: `misconfigured` when it must not go there.
  public func passage(to url: String) async throws(UpstreamFailure) -> Passage? {
    guard let url = ResourceURL(url),
      registration.connection.resources.cover(url)
    else { return nil }
    return try await kind.passage(with: secret, of: credential, to: url, registration)
  }

  /// Whether `url` is the address at which the credential was proved.
  public func isProved(at url: ResourceURL) -> Bool {
    ResourceURL(registration.connection.origin)?.withoutQuery == url.withoutQuery
  }

  /// Shows it once more at the connection's own address.
  ///
  /// - Throws: `refused` when it is not taken there, either; anything else when the answer does not say.
  public func prove() async throws(UpstreamFailure) { try await kind.prove(secret, of: credential, registration) }
}

extension Registration {
  /// Lets `call` through what stands in front of the upstream.
  func pass(_ call: inout Dialer.Call) async throws(UpstreamFailure) {
    proxyPass?.show(in: &call.headers, to: call.url)
    call.passage = try await networkPass?.passage(to: call.url)
  }
}
