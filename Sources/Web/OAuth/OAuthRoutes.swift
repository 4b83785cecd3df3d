import Flows
import HTTP
import Pages

extension App {
  /// The authorization server toward client apps.
  static func oauthRoutes(_ desk: Desk) -> [Route] {
    let metadata = PublishedDocument(
      ServerMetadata.json(
        issuer: desk.here.issuer, certificates: desk.here.clientCertificates,
        registers: RegisterClient(desk.here).admission != .closed, languages: desk.pages.languages,
        published: desk.published), maxAge: 300)
    let keys = PublishedKeys(desk.here)
    let authorize = AuthorizeEndpoint(desk)
    let token = TokenEndpoint(desk.here)
    let revoke = RevokeEndpoint(desk.here)
    let introspect = IntrospectEndpoint(desk.here)
    let push = PushedRequestEndpoint(desk.here)
    let device = DeviceAuthorizationEndpoint(desk.here)
    let userInfo = UserInfoEndpoint(desk.here)
    let register = RegistrationEndpoint(desk.here)
    let registration = RegistrationEndpoint.path
    let logout = BackchannelLogoutEndpoint(desk.here)
    return [
      .api(.get, "/.well-known/oauth-authorization-server") { metadata.answer($0) },
      .api(.get, "/.well-known/openid-configuration") { metadata.answer($0) },
      .api(.get, "/oauth2/jwks") { keys.answer($0) },
      .page(.get, "/oauth2/authorize") { try await authorize.get($0) },
      .page(.post, "/oauth2/authorize") { try await authorize.post($0) },
      .shared(.post, "/oauth2/par") { try await push.answer($0) },
      .api(.post, "/oauth2/device_authorization") { try await device.answer($0) },
      .shared(.get, "/oauth2/userinfo") { try await userInfo.answer($0) },
      .shared(.post, "/oauth2/userinfo") { try await userInfo.answer($0) },
      .shared(.post, "/oauth2/token") { try await token.answer($0) },
      .shared(.post, "/oauth2/revoke") { try await revoke.answer($0) },
      .api(.post, "/oauth2/introspect") { try await introspect.answer($0) },
      .api(.post, BackchannelLogoutEndpoint.path(":connection")) { try await logout.post($0) },
      .api(.post, registration) { try await register.post($0) },
      .api(.get, registration + "/:client") { try await register.get($0) },
      .api(.put, registration + "/:client") { try await register.put($0) },
      .api(.delete, registration + "/:client") { try await register.delete($0) },
    ]
  }
}
