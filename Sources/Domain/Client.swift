public typealias ClientID = Identifier<Client>

/// A registered client app.
public struct Client: Sendable, Equatable, Identified {
  public static let idPrefix = "client"

  public enum Kind: String, Sendable, CaseIterable {
    /// Has a secret and can keep it.
    case confidential
    /// Runs where its user could read a secret, so it has none.
    case `public`
  }

  public enum Grant: String, Sendable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    case clientCredentials = "client_credentials"
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
  }

  /// A connection the client may use.
  public struct Permission: Sendable, Equatable {
    public let connection: ConnectionID
    /// Whether it may be handed the upstream token itself, which can do everything its owner can.
    public let handsOutRawTokens: Bool
    /// Whether its jobs may use it while the person is not there, where the person allows that, too.
    public let isUnattended: Bool

    public init(connection: ConnectionID, handsOutRawTokens: Bool, isUnattended: Bool = false) {
      self.connection = connection
      self.handsOutRawTokens = handsOutRawTokens
      self.isUnattended = isUnattended
    }

    /// Whether that counts for `connection`: what the network asks for is never handed out.
    public func handsOutRawTokens(of connection: Connection) -> Bool { handsOutRawTokens && !connection.kind.isNetwork }
  }

  public let id: ClientID
  public let name: String
  public let kind: Kind
  public let redirectURIs: [RedirectURI]
  public let grants: [Grant]
  public let scope: Scope
  /// Deny by default: what is not listed may not be used.
  public let permissions: [Permission]
  public let options: ClientOptions
  public let isDisabled: Bool
  /// Whether an administrator registered it, or has checked it since it registered itself.
  public let isTrusted: Bool
  public let createdAt: Timestamp

  public init(
    id: ClientID, name: String, kind: Kind, redirectURIs: [RedirectURI], grants: [Grant], scope: Scope,
    permissions: [Permission], options: ClientOptions = ClientOptions(), isDisabled: Bool = false,
    isTrusted: Bool = true, createdAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.redirectURIs = redirectURIs
    self.grants = grants
    self.scope = scope
    self.permissions = permissions
    self.options = options
    self.isDisabled = isDisabled
    self.isTrusted = isTrusted
    self.createdAt = createdAt
  }

  public func permission(for connection: ConnectionID) -> Permission? {
    permissions.first { $0.connection == connection }
  }

  /// Whether people can sign in to it; a client that only acts for itself gets nothing of a connection, whose credentials
  /// belong to people.
  public var signsPeopleIn: Bool { grants.contains(.authorizationCode) || grants.contains(.deviceCode) }

  /// Whether a consent given before is enough to send a browser on without a page.
  ///
  /// Not for a public client that anybody on the person's device could pose as (OAuth 2.1 §7.3.1).
  public func mayGoOnSilently(to redirectURI: String) -> Bool {
    kind == .confidential || ResourceURL(redirectURI).map(\.isHTTPS) ?? false
  }

  /// Why the client must not use `grant`, or `nil`.
  public func refusal(using grant: Grant) -> Refusal? {
    grants.contains(grant) ? nil : Refusal(.unauthorizedClient, "This client is not registered for this grant type.")
  }

  /// Why a client must not be registered like this, in words for the administrator; `nil` when it may.
  public var objection: String? { objections.first?.text }

  /// Everything that forbids to register a client like this, with the field to mend.
  public var objections: [(field: String, text: String)] {
    var found: [(String, String)] = []
    if !DisplayName.isPlain(name) {
      found.append(("name", "Give the client a name of 1 to 100 bytes, without line breaks and invisible characters."))
    }
    if grants.contains(.authorizationCode), redirectURIs.isEmpty {
      found.append(("redirect_uris", "The grant authorization_code needs at least one redirect URI."))
    }
    if let uri = Self.repeated(redirectURIs) {
      found.append(("redirect_uris", "The redirect URI \(uri) stands twice. Name it once."))
    }
    if let text = grantObjection { found.append(("grant", text)) }
    if scope.contains(Scope.offlineAccess), !grants.contains(.refreshToken) {
      let text = "The scope \(Scope.offlineAccess) asks for refresh tokens, which this client cannot use."
      found.append(("scope", text + " Add the grant refresh_token, or leave the scope out."))
    }
    if kind == .public, scope.contains(Scope.vend), !options.requiresDPoP {
      let text = "A public client can vend only with DPoP, or whoever finds a token of it could use that."
      found.append(("scope", text + " Bind its tokens to a DPoP key, or register it as confidential."))
    }
    found += optionObjections + unattendedObjections
    if let unknown = scope.words.first(where: { !Scope.known.contains($0) }) {
      found.append(("scope", "The scope \(unknown) is not known. Known: \(Scope.known.joined(separator: " "))."))
    }
    return found
  }

  /// The first that stands twice; they are ASCII, so that each is one text.
  static func repeated(_ uris: [RedirectURI]) -> String? {
    uris.indices.first { uris[..<$0].contains(uris[$0]) }.map { uris[$0].text }
  }

  private var grantObjection: String? {
    if grants.isEmpty { return "Choose at least one grant." }
    if grants.contains(.refreshToken), !signsPeopleIn {
      return "The grant refresh_token needs authorization_code or device_code beside it."
    }
    if kind == .public, grants.contains(.clientCredentials) || grants.contains(.tokenExchange) {
      return "A public client has no secret, so client_credentials and token-exchange are not for it."
    }
    return nil
  }
}

extension Client.Grant {
  /// What pages, commands and messages call it: the registered name, or a short one for the long ones.
  public var shortName: String {
    switch self {
    case .tokenExchange: "token-exchange"
    case .deviceCode: "device_code"
    default: rawValue
    }
  }

  /// Takes the registered name or the short one, in a form's field also as `token_exchange`.
  public init?(name: String) {
    switch name {
    case "token-exchange", "token_exchange": self = .tokenExchange
    case "device_code", "device-code": self = .deviceCode
    default: self.init(rawValue: name)
    }
  }
}
