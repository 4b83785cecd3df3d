import Crypto
import Domain

extension UpstreamIdentity {
  /// Names the identity without telling it, 43 characters of base64url: what a person agreed to put in place of another.
  var mark: String { Base64URL.encode(SHA256.hash("\(connection)\n\(issuer)\n\(subject)")) }
}
