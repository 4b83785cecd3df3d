import Crypto
import Domain

extension UpstreamIdentity {
  /// What stands for the identity that a person agreed to put in place of another: 43 characters of base64url.
  var mark: String { Base64URL.encode(SHA256.hash("\(connection)\n\(issuer)\n\(subject)")) }
}
