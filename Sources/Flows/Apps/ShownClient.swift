import Crypto
public import Domain
import JSON
import Storage

extension Client {
  /// A mark of everything that a page shows of the client; a form carries it, so that an answer counts for that alone.
  ///
  /// An app that registered itself may change between the page and the answer.
  public func mark(_ registration: ClientRegistration?) -> String {
    let shown = JSONWriter.object { json in
      json.member("name", name)
      json.member("redirect_uris", redirectURIs.map(\.text))
      json.member("grants", grants.map(\.rawValue))
      json.member("scope", scope.text)
      json.member("trusted", isTrusted)
      options.write(to: &json)
      registration?.description.write(to: &json)
    }
    return Base64URL.encode(SHA256.hash(shown))
  }
}

extension AuthorizationRequest {
  /// Whether the client may still ask for this, as it is registered now.
  func isAllowed(for client: Client) -> Bool {
    guard client.refusal(asking: scope) == nil else { return false }
    switch recipient {
    case .client(let redirectURI, _):
      guard client.grants.contains(.authorizationCode) else { return false }
      return isReadFromPage || client.redirectURIs.contains { $0.matches(redirectURI) }
    case .device: return client.grants.contains(.deviceCode)
    }
  }
}
