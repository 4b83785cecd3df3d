import Domain
import HTTP
import JSON

/// What `gatehouse client create` and `client edit` take beyond name, grants and redirect URIs.
enum ClientOptionArguments {
  static let all = [
    profile, authentication, jwks, jwksFile, certificateSubject, idTokenAlgorithm, signedUserInfo, dpop, dpopNonce,
    certificateBound, pushedRequests, endpointAudience, postLogoutURIs, backchannelURI, backchannelSession,
    unattendedKeys, unattendedNetworks,
  ]

  private static let profile = Option(
    "--profile", "PROFILE",
    "oauth21 (unless you say otherwise), oidc-basic (PKCE only if the app sends it) or fapi2.")
  private static let authentication = Option(
    "--authentication", "METHOD",
    "How it proves who it is: client_secret (in the header or the form; unless you say otherwise), "
      + "client_secret_basic, client_secret_post, private_key_jwt, tls_client_auth or self_signed_tls_client_auth.")
  private static let jwks = Option("--jwks-uri", "URL", "Where its public keys are, a JWK set.")
  private static let jwksFile = Option("--jwks", "FILE", "Its public keys, a JWK set.")
  private static let certificateSubject = Option(
    "--certificate-subject", "FIELD=VALUE",
    "For tls_client_auth, what its certificate names: tls_client_auth_subject_dn, …_san_dns, …_san_uri, …_san_ip or "
      + "…_san_email.")
  private static let idTokenAlgorithm = Option(
    "--id-token-algorithm", "ALGORITHM", "What signs its ID tokens: RS256, PS256, ES256 or EdDSA.")
  private static let signedUserInfo = Option(
    switch: "--signed-userinfo", "Answer userinfo as a JWT, signed as its ID tokens are.")
  private static let dpop = Option(switch: "--dpop", "Bind every token to a DPoP key of the app.")
  private static let dpopNonce = Option(
    switch: "--dpop-nonce", "Take only DPoP proofs with a nonce of Gatehouse; with fapi2 always.")
  private static let certificateBound = Option(
    switch: "--certificate-bound", "Bind every token to the app's certificate.")
  private static let pushedRequests = Option(
    switch: "--require-pushed-requests", "Take only authorization requests that were pushed before.")
  private static let endpointAudience = Option(
    switch: "--endpoint-audience", "Take client assertions for the token endpoint, as old libraries make them.")
  private static let postLogoutURIs = Option(
    "--post-logout-redirect-uri", "URI", "Where people may go on after the app signed them out.", .repeatable)
  private static let backchannelURI = Option(
    "--backchannel-logout-uri", "URL", "Where the app is told that a person has signed out.")
  private static let backchannelSession = Option(
    switch: "--backchannel-logout-session", "Name the session when the app is told.")

  private static let unattendedKeys = Option(
    "--unattended-jwks", "FILE",
    "The public keys that its jobs sign with while nobody is there, a JWK set; others than it authenticates with.")
  private static let unattendedNetworks = Option(
    "--unattended-network", "CIDR", "Where these jobs run, such as 10.20.0.0/16 or 192.0.2.7/32.", .repeatable)

  /// The options as given; what is not given stays as it is `before`.
  static func options(
    _ arguments: Arguments, changing before: ClientOptions = ClientOptions()
  ) throws -> ClientOptions {
    var options = before
    if let chosen = try arguments.values(of: profile, "oauth21, oidc-basic or fapi2", ClientOptions.Profile.init).first
    {
      options.profile = chosen
    }
    let methods = ClientAuthenticationMethod.allCases.filter { $0 != .none }.map(\.rawValue)
    let method = try arguments.values(of: authentication, Spelling.list(methods, "or"), ClientAuthenticationMethod.init)
    if let chosen = method.first { options.authentication = chosen }
    if let keys = try keys(arguments) { options.keys = keys }
    let subjects = try arguments.values(
      of: certificateSubject, "FIELD=VALUE with a field of RFC 8705 §2.1.2", subject)
    if let named = subjects.first { options.certificateSubject = named }
    let algorithms = try arguments.values(
      of: idTokenAlgorithm, Spelling.list(ClientOptions.idTokenAlgorithms, "or")
    ) { ClientOptions.idTokenAlgorithms.contains($0) ? $0 : nil }
    if let chosen = algorithms.first { options.idTokenAlgorithm = chosen }
    for (option, property) in switches where arguments.has(option) { options[keyPath: property] = true }
    if arguments.has(postLogoutURIs) {
      options.postLogoutRedirectURIs = try arguments.values(of: postLogoutURIs, RedirectURI.rule, RedirectURI.init)
    }
    if let uri = arguments.value(of: backchannelURI) { options.backchannelLogoutURI = uri }
    if let path = arguments.value(of: unattendedKeys) { options.unattendedKeys = try set(path) }
    if arguments.has(unattendedNetworks) {
      options.unattendedNetworks = try arguments.values(
        of: unattendedNetworks, "a network such as 10.20.0.0/16, or 192.0.2.7/32 for one address", AddressRange.init
      ).map(\.description)
    }
    return options
  }

  private static var switches: [(Option, WritableKeyPath<ClientOptions, Bool>)] {
    [
      (signedUserInfo, \.signsUserInfo), (dpop, \.requiresDPoP), (dpopNonce, \.requiresDPoPNonce),
      (certificateBound, \.bindsToCertificate), (pushedRequests, \.requiresPushedRequests),
      (endpointAudience, \.takesEndpointAudience), (backchannelSession, \.backchannelNeedsSession),
    ]
  }

  /// Takes an option back, as if it had never been given.
  ///
  /// - Throws: `UsageFailure` for what is none of these.
  static func reset(_ name: String, of options: inout ClientOptions) throws(UsageFailure) {
    let standard = ClientOptions()
    switch name {
    case profile.name: options.profile = standard.profile
    case authentication.name: options.authentication = standard.authentication
    case jwks.name, jwksFile.name: options.keys = nil
    case certificateSubject.name: options.certificateSubject = nil
    case idTokenAlgorithm.name: options.idTokenAlgorithm = nil
    case postLogoutURIs.name: options.postLogoutRedirectURIs = []
    case backchannelURI.name: options.backchannelLogoutURI = nil
    case unattendedKeys.name: options.unattendedKeys = nil
    case unattendedNetworks.name: options.unattendedNetworks = []
    default:
      guard let property = switches.first(where: { $0.0.name == name })?.1 else {
        throw UsageFailure("--without takes the name of an option without its hyphens, such as dpop or profile.")
      }
      options[keyPath: property] = false
    }
  }

  private static func keys(_ arguments: Arguments) throws -> ClientOptions.Keys? {
    guard let path = arguments.value(of: jwksFile) else { return arguments.value(of: jwks).map { .at($0) } }
    guard !arguments.has(jwks) else { throw UsageFailure("Give --jwks or --jwks-uri, not both.") }
    return .inline(try set(path))
  }

  private static func set(_ path: String) throws -> String {
    do {
      return String(decoding: try JSONValue(parsing: Files.read(path)).encoded(), as: UTF8.self)
    } catch let failure as JSONFailure { throw UsageFailure("\(path) is no JSON: \(failure).") }
  }

  private static func subject(_ text: String) -> CertificateSubject? {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let field = CertificateSubject.Field(rawValue: parts[0]) else { return nil }
    return CertificateSubject(field: field, value: parts[1])
  }
}
