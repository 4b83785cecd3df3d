internal import Crypto
internal import Domain
internal import JOSE
internal import JSON

/// Issuers of providers whose tenants share one discovery document, as Microsoft Entra's `common` and `organizations`.
extension ProviderMetadata {
  /// Stands in the issuer of a shared document for the tenant of each person.
  static let tenantPlaceholder = "{tenantid}"

  /// The issuer that `idToken` must name: the provider's, with the tenant that the token claims where tenants share it.
  ///
  /// The claim is not believed yet: whatever it says, the rule that is made of it checks `iss` and the signature.
  func issuer(of idToken: Secret, _ quirks: ProviderQuirks) throws(UpstreamFailure) -> String {
    guard quirks.namesTenantIssuers, issuer.contains(Self.tenantPlaceholder) else { return issuer }
    guard let tenant = Self.tenant(claimedBy: idToken), tenant.isTenantID else {
      throw .invalidAnswer("The ID token of \(issuer) names no tenant.")
    }
    return issuer.replacing(Self.tenantPlaceholder, with: tenant)
  }

  private static func tenant(claimedBy idToken: Secret) -> String? {
    do { return try JWTClaims(JWS(parsing: idToken.revealedText).unverifiedPayload).json.string("tid") } catch {
      return nil
    }
  }
}

extension Connection {
  /// Whether `issuer`, from our discovery document, names the tenants of the configured provider together.
  func sharesIssuer(_ issuer: String) -> Bool {
    guard kind == .oidc, provider.quirks.namesTenantIssuers, let configured = ResourceURL(origin) else { return false }
    return issuer.hasPrefix("\(configured.origin)/\(ProviderMetadata.tenantPlaceholder)/")
  }
}

extension String {
  /// Whether it is a GUID as tenants are named by: 8-4-4-4-12 hexadecimal digits.
  fileprivate var isTenantID: Bool {
    let parts = split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && parts.allSatisfy { $0.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) } }
  }
}
