import Crypto
public import Domain
import Storage

/// Lets a device without a browser ask for a person's decision, which they give on another one (RFC 8628 §3.1).
public struct AuthorizeDevice: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What the device is given (§3.2).
  public struct Codes: Sendable {
    public let deviceCode: Secret
    /// Shown to the person by the device.
    public let userCode: UserCode
  }

  /// - Throws: `Refusal` `unauthorized_client` or `invalid_scope`.
  public func callAsFunction(_ scope: Scope?, _ client: Client, _ visitor: Visitor) async throws -> Codes {
    if let refusal = client.refusal(using: .deviceCode) { throw refusal }
    let granted = scope ?? client.ordinaryScope
    guard client.refusal(asking: granted) == nil, !granted.isUnattendedAlone else {
      throw Refusal(.invalidScope, "The scope holds a word that this client is not allowed.")
    }
    try await here.checkPortal(of: granted, hasPerson: true)
    let (token, now) = (NewToken(), here.clock.now())
    let device = DeviceAuthorization(
      hash: token.hash, client: client.id, scope: granted, address: visitor.origin.address, createdAt: now,
      expiresAt: now + DeviceAuthorization.lifetime)
    while true {
      let code = UserCode { Random.bytes(1)[0] }
      let mac = here.mac(of: code)
      if try await here.store.write({ try $0.insert(device, userCode: mac) }) {
        return Codes(deviceCode: token.secret, userCode: code)
      }
    }
  }
}

extension Installation {
  /// What the store holds of a code that people type: it is too short for a plain hash, which could be guessed.
  func mac(of code: UserCode) -> TokenHash {
    TokenHash(bytes: purposeKeys.current(.userCode).mac.authenticate(Array(code.letters.utf8)))
  }
}
