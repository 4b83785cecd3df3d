/// Why a signed token was refused; holds no part of it.
public enum JWSFailure: Error, Equatable {
  /// Longer than allowed.
  case tooLong
  /// Not three parts of canonical base64url with a JSON object first (RFC 7515 §7.1).
  case malformed
  /// Unsigned, symmetric, unknown, or not the algorithm of the key.
  case algorithmNotAllowed
  /// Demands an extension that is not understood, or payloads that are not base64url (RFC 7797).
  case unknownExtension
  /// Brings its own key, or an address to fetch one from.
  case embeddedKey
  /// No key of that id and algorithm; worth one fresh look at the issuer's keys.
  case unknownKey
  /// No key id, and several keys that could be meant (OpenID Connect Core §10.1).
  case ambiguousKey
  /// The signature is not the key's.
  case badSignature
}
