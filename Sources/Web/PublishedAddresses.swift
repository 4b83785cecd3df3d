/// What whoever runs an installation says about it to other machines and their makers.
public struct PublishedAddresses: Sendable {
  /// Whom to tell of a weakness (RFC 9116).
  public var securityContact: String?
  /// What apps may do with what they learn about people (`op_policy_uri`, RFC 8414 §2).
  public var policy: String?
  /// On what terms apps may use this service (`op_tos_uri`).
  public var terms: String?

  public init(securityContact: String? = nil, policy: String? = nil, terms: String? = nil) {
    self.securityContact = securityContact
    self.policy = policy
    self.terms = terms
  }
}
