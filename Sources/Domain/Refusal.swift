/// A refusal the client is allowed to read: the wire form of an OAuth error (RFC 6749 §5.2).
///
/// Everything else that is thrown is a fault of ours and reaches the client as `server_error` only.
public struct Refusal: Error, Equatable, Sendable {
  /// The registered error codes; they are part of the public interface and never change their meaning.
  public enum Code: String, Sendable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case invalidScope = "invalid_scope"
    case invalidToken = "invalid_token"
    case insufficientScope = "insufficient_scope"
    case invalidTarget = "invalid_target"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedResponseType = "unsupported_response_type"
    case unsupportedTokenType = "unsupported_token_type"
    case accessDenied = "access_denied"
    case referrerNotAllowed = "referrer_not_allowed"
    case networkNotAllowed = "network_not_allowed"
    case loginRequired = "login_required"
    case consentRequired = "consent_required"
    case interactionRequired = "interaction_required"
    case invalidDPoPProof = "invalid_dpop_proof"
    case useDPoPNonce = "use_dpop_nonce"
    case requestNotSupported = "request_not_supported"
    case requestURINotSupported = "request_uri_not_supported"
    case invalidRequestURI = "invalid_request_uri"
    case unmetAuthenticationRequirements = "unmet_authentication_requirements"
    case registrationNotSupported = "registration_not_supported"
    case invalidRedirectURI = "invalid_redirect_uri"
    case invalidClientMetadata = "invalid_client_metadata"
    case invalidSoftwareStatement = "invalid_software_statement"
    case unapprovedSoftwareStatement = "unapproved_software_statement"
    case temporarilyUnavailable = "temporarily_unavailable"
    case upstreamError = "upstream_error"
    case slowDown = "slow_down"
    case authorizationPending = "authorization_pending"
    case expiredToken = "expired_token"
    case notFound = "not_found"
    case serverError = "server_error"
  }

  /// Why a person has to come back before an app can go on (reference: the vending profile).
  public enum InteractionReason: String, Sendable {
    case notConnected = "not_connected"
    case reauthRequired = "reauth_required"
    case insufficientUpstreamScope = "insufficient_upstream_scope"
  }

  /// What the app shows the person so that the next attempt succeeds.
  public struct Interaction: Sendable, Equatable {
    public let reason: InteractionReason
    /// The connection the person has to sign in to.
    public let connection: ConnectionID
    /// The URL that the app wants to call, so that the person is led through every layer of it; `nil` when it named none.
    public var resource: ResourceURL?

    public init(reason: InteractionReason, connection: ConnectionID, resource: ResourceURL? = nil) {
      self.reason = reason
      self.connection = connection
      self.resource = resource
    }
  }

  public let code: Code
  /// One sentence for the client's developer; never holds a secret or an internal name.
  public let description: String
  public var interaction: Interaction?
  /// Seconds after which trying again makes sense.
  public let retryAfter: Int64?

  public init(_ code: Code, _ description: String, interaction: Interaction? = nil, retryAfter: Int64? = nil) {
    self.code = code
    self.description = description
    self.interaction = interaction
    self.retryAfter = retryAfter
  }

  /// The description in the characters that an `error_description` may have (RFC 6749 §4.1.2.1, §5.2): ASCII without
  /// quotation mark, backslash and control characters.
  public var wireDescription: String {
    let isPlain = description.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    if isPlain { return description }
    var wire = ""
    for scalar in description.unicodeScalars {
      switch scalar {
      case "\"", "\u{201C}", "\u{201D}", "\u{2018}", "\u{2019}": wire += "'"
      case "\\": wire += "/"
      case "\u{2026}": wire += "..."
      case "\u{2013}", "\u{2014}": wire += "-"
      case " "..."~": wire.unicodeScalars.append(scalar)
      default: wire += "?"
      }
    }
    return wire
  }
}
