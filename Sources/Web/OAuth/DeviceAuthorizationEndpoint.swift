import Domain
import Flows
import HTTP
import JSON

/// Where a device without a browser begins (RFC 8628 §3.1).
struct DeviceAuthorizationEndpoint: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  func answer(_ call: Call) async throws -> Response {
    try here.countBeginning(by: call.visitor)
    let posted = try await ClientForm(call, here)
    let codes = try await AuthorizeDevice(here)(posted.scope(), posted.client, call.visitor)
    let page = here.issuer + "/device"
    return .json(
      .ok,
      JSONWriter.object { json in
        json.member("device_code", codes.deviceCode.revealedText)
        json.member("user_code", codes.userCode.shown)
        json.member("verification_uri", page)
        json.member("verification_uri_complete", "\(page)?user_code=\(codes.userCode.shown)")
        json.member("expires_in", DeviceAuthorization.lifetime)
        json.member("interval", DeviceAuthorization.interval)
      })
  }
}
