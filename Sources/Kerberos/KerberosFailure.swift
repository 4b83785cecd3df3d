import CGSSAPI

/// Why there is no ticket, told apart by what can be done.
public enum KerberosFailure: Error, Sendable, Equatable {
  /// The password is wrong, or the keytab holds an old key.
  case wrongKey
  case unknownPrincipal
  /// The realm has locked the principal, or its password has ended.
  case locked
  case expired
  /// Clocks differ by more than the realm allows.
  case clockSkew
  /// The file is no keytab, or holds no key of the principal.
  case invalidKeytab
  /// The realm knows no such service.
  case unknownService(String)
  /// No key distribution centre answers, in time or at all.
  case unreachable(String)
  /// Too many wait for key distribution centres already.
  case busy
  /// Anything else, in the library's words.
  case other(String)

  init(_ code: krb5_error_code, _ text: String) {
    self =
      switch Int(code) {
      case KRB5KDC_ERR_PREAUTH_FAILED, KRB5KRB_AP_ERR_BAD_INTEGRITY, KRB5_PREAUTH_FAILED: .wrongKey
      case KRB5KDC_ERR_C_PRINCIPAL_UNKNOWN, KRB5_PARSE_MALFORMED: .unknownPrincipal
      case KRB5KDC_ERR_CLIENT_REVOKED: .locked
      case KRB5KDC_ERR_KEY_EXP, KRB5KDC_ERR_NAME_EXP: .expired
      case KRB5KRB_AP_ERR_SKEW, KRB5_KDCREP_SKEW: .clockSkew
      case KRB5_KT_NOTFOUND, KRB5_KEYTAB_BADVNO, KRB5_KT_FORMAT, KRB5_KT_END, Int(KRB5_KT_IOERR): .invalidKeytab
      case KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN: .unknownService(text)
      case KRB5_KDC_UNREACH, KRB5_REALM_UNKNOWN, KRB5_REALM_CANT_RESOLVE: .unreachable(text)
      default: .other(text)
      }
  }
}
