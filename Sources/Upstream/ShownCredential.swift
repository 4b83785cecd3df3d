public import Domain
internal import HTTP
internal import HTTPClient

/// A credential that a probe shows, so that the layer behind the one that it satisfies can be seen.
///
/// A network credential is no field of its own, and passes by its ``NetworkPass``.
public struct ShownCredential: Sendable {
  private let kind: any CredentialKind
  private let registration: Registration
  private let token: Secret
  /// What the token is bound to, if it is bound to a `Referer`.
  private let referer: String?
  /// What opens the network, of a credential that does.
  public let networkPass: NetworkPass?

  public init(kind: any CredentialKind, _ registration: Registration, token: Secret, referer: String?) {
    self.kind = kind
    self.registration = registration
    self.token = token
    self.referer = referer
    networkPass = nil
  }

  /// What opens the network of `connection`.
  public init(_ pass: NetworkPass, kind: any CredentialKind, _ registration: Registration) {
    self.kind = kind
    self.registration = registration
    token = Secret("")
    referer = nil
    networkPass = pass
  }

  public var connection: Connection { registration.connection }

  public var layer: ChallengeLayer { connection.kind.layer }

  /// The same for calls to what stands behind the proxy that it satisfies; `nil` when it is no proxy's.
  public var proxyPass: ProxyPass? {
    layer == .proxy ? ProxyPass(token: token, hosts: connection.resources) : nil
  }

  /// The names of the header fields that carry it to `url`; none where the connection does not cover that.
  public func fieldNames(for url: ResourceURL) -> [String] { fields(for: url).map(\.name) }

  /// Adds it to a request for `url`, if the connection covers that.
  func show(in request: inout OutboundRequest, to url: ResourceURL) async throws(UpstreamFailure) {
    try await networkPass?.passage(to: url.text)?.apply(to: &request)
    for (name, value) in fields(for: url) {
      guard let name = FieldName(name), let value = FieldValue(value.revealedText) else { continue }
      request.headers.set(name, value)
    }
  }

  private func fields(for url: ResourceURL) -> [(name: String, value: Secret)] {
    guard connection.resources.cover(url) else { return [] }
    let fields = kind.headers(with: token, for: url, registration)
    return fields.isEmpty ? [] : fields + (referer.map { [(name: "Referer", value: Secret($0))] } ?? [])
  }
}
