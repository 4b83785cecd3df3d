public import Domain
import Storage

/// Takes the code that a person read off their device, and asks them what the device asks (RFC 8628 §3.3).
public struct EnterUserCode: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Returns the handle that names the request in the consent page.
  ///
  /// - Throws: `Refusal` `invalid_grant` for a code that nobody waits with, `slow_down` after too many of those.
  public func callAsFunction(_ typed: String, _ signedIn: SignedIn) async throws -> Secret {
    let now = here.clock.now()
    let account = signedIn.account.id.text
    if let seconds = here.userCodes.take(account, at: now) {
      throw Refusal(.slowDown, "Too many codes were wrong. Try again in a few minutes.", retryAfter: seconds)
    }
    guard let code = UserCode(typed: typed) else {
      throw Refusal(.invalidGrant, "A code has eight letters, such as WDJB-MJHT. Type the one that your device shows.")
    }
    let (handle, mac) = (NewToken(), here.mac(of: code))
    let isWaiting = try await here.store.write { tx in
      guard let device = try tx.waitingDevice(userCode: mac, at: now) else { return false }
      let request = AuthorizationRequest(client: device.client, to: .device(device.hash), scope: device.scope)
      try tx.insert(request, hash: handle.hash, at: now, lifetime: device.expiresAt - now)
      return true
    }
    guard isWaiting else {
      throw Refusal(
        .invalidGrant,
        "No device waits with this code. Compare it with what your device shows, or let the device ask again.")
    }
    here.userCodes.giveBack(account, at: now)
    return handle.secret
  }
}

extension Quota {
  /// Wrong user codes within ten minutes: five for each account, and so few in all that guessing one of a hundred live
  /// codes stays less likely than one in a million (RFC 8628 §5.1).
  static func ofUserCodes() -> Quota { Quota(each: 5, inAll: 200, window: 10 * 60) }
}
