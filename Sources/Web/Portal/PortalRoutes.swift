import HTTP

extension App {
  /// The pages for people.
  static func portalRoutes(_ desk: Desk) -> [Route] {
    arriving(desk) + securing(desk) + connecting(desk) + allowing(desk) + leaving(desk)
  }

  private static func arriving(_ desk: Desk) -> [Route] {
    let (home, setUp, signIn) = (HomeEndpoint(desk), SetUpEndpoint(desk), SignInEndpoint(desk))
    let (trip, callback, invitation) = (TripEndpoint(desk), CallbackEndpoint(desk), InvitationEndpoint(desk))
    let look = ClientLookEndpoint(desk.here)
    return [
      .page(.get, "/") { try await home.get($0) },
      .page(.get, "/setup") { try await setUp.get($0) },
      .page(.post, "/setup") { try await setUp.post($0) },
      .page(.get, "/signin") { try await signIn.get($0) },
      .page(.post, "/signin") { try await signIn.post($0) },
      .page(.get, "/invitation") { try await invitation.get($0) },
      .page(.post, "/invitation") { try await invitation.post($0) },
      .page(.get, "/signin/:connection") { try await trip.get($0) },
      .page(.get, "/callback/:connection") { try await callback.get($0) },
      .page(.get, "/apps/:client/style.css") { try await look.style($0) },
      .page(.get, "/apps/:client/logo.png") { try await look.logo($0) },
    ]
  }

  private static func securing(_ desk: Desk) -> [Route] {
    let (overview, password, link) = (SecurityEndpoint(desk), PasswordEndpoint(desk), PasswordLinkEndpoint(desk))
    let (passkeys, passkey) = (PasskeysEndpoint(desk), PasskeyEndpoint(desk))
    let (email, emailLink, forgotten) = (EmailEndpoint(desk), EmailLinkEndpoint(desk), ForgottenEndpoint(desk))
    let (app, codes, factor) = (AuthenticatorEndpoint(desk), RecoveryCodesEndpoint(desk), SecondFactorEndpoint(desk))
    return [
      .page(.get, SecurityPage.overview.path) { try await overview.get($0) },
      .page(.post, "/account/security/sessions/end") { try await overview.endOthers($0) },
      .page(.post, "/account/security/sessions/:session/end") { try await overview.endOne($0) },
      .page(.get, SecurityPage.password.path) { try await password.get($0) },
      .page(.post, SecurityPage.password.path) { try await password.post($0) },
      .page(.get, SecurityPage.email.path) { try await email.get($0) },
      .page(.post, SecurityPage.email.path) { try await email.post($0) },
      .page(.get, EmailLinkEndpoint.path) { try await emailLink.get($0) },
      .page(.post, EmailLinkEndpoint.path) { try await emailLink.post($0) },
      .page(.get, ForgottenEndpoint.path) { try forgotten.get($0) },
      .page(.post, ForgottenEndpoint.path) { try forgotten.post($0) },
      .page(.get, PasswordLinkEndpoint.path) { try await link.get($0) },
      .page(.post, PasswordLinkEndpoint.path) { try await link.post($0) },
      .page(.get, SecurityPage.authenticator.path) { try await app.get($0) },
      .page(.post, SecurityPage.authenticator.path) { try await app.post($0) },
      .page(.post, SecurityPage.authenticator.path + "/new") { try await app.begin($0) },
      .page(.post, SecurityPage.authenticator.path + "/off") { try await app.turnOff($0) },
      .page(.get, SecurityPage.recoveryCodes.path) { try await codes.get($0) },
      .page(.post, SecurityPage.recoveryCodes.path) { try await codes.post($0) },
      .page(.get, PasskeysEndpoint.path) { try await passkeys.get($0) },
      .page(.post, PasskeysEndpoint.path) { try await passkeys.post($0) },
      .page(.post, "/account/security/passkeys/:passkey/remove") { try await passkeys.remove($0) },
      .page(.post, PasskeyEndpoint.path) { try await passkey.post($0) },
      .page(.get, SecondFactorEndpoint.path) { try await factor.get($0) },
      .page(.post, SecondFactorEndpoint.path) { try await factor.post($0) },
    ]
  }

  private static func connecting(_ desk: Desk) -> [Route] {
    let (connect, replace, disconnect) = (ConnectEndpoint(desk), ReplaceEndpoint(desk), DisconnectEndpoint(desk))
    let (account, challenge, notices) = (AccountEndpoint(desk), ChallengeEndpoint(desk), NoticesEndpoint(desk))
    return [
      .page(.get, "/account") { try await account.get($0) },
      .page(.get, NoticesEndpoint.path) { try await notices.get($0) },
      .page(.post, NoticesEndpoint.path) { try await notices.post($0) },
      .page(.get, "/connect") { try await challenge.get($0) },
      .page(.post, "/connect") { try await challenge.post($0) },
      .page(.get, "/connect/:connection") { try await connect.get($0) },
      .page(.post, "/connect/:connection") { try await connect.post($0) },
      .page(.post, "/connect/:connection/confirm") { try await replace.post($0) },
      .page(.get, "/disconnect/:connection") { try await disconnect.get($0) },
      .page(.post, "/disconnect/:connection") { try await disconnect.post($0) },
    ]
  }

  private static func allowing(_ desk: Desk) -> [Route] {
    let (consent, apps, ledger) = (ConsentEndpoint(desk), AllowedAppsEndpoint(desk), AppLedgerEndpoint(desk))
    let (device, leave, passwords) = (DeviceEndpoint(desk), LeaveEndpoint(desk), AppPasswordsEndpoint(desk))
    return [
      .page(.post, LeaveEndpoint.path) { try leave.post($0) },
      .page(.get, "/consent") { try await consent.get($0) },
      .page(.post, "/consent") { try await consent.post($0) },
      .page(.get, "/device") { try await device.get($0) },
      .page(.post, "/device") { try await device.post($0) },
      .page(.get, "/account/apps") { try await apps.list($0) },
      .page(.get, "/account/apps/:client") { try await apps.get($0) },
      .page(.post, "/account/apps/:client") { try await apps.post($0) },
      .page(.get, "/account/apps/:client/ledger") { try await ledger.get($0) },
      .page(.post, "/account/app-passwords") { try await passwords.post($0) },
      .page(.post, "/account/app-passwords/:password/end") { try await passwords.end($0) },
    ]
  }

  private static func leaving(_ desk: Desk) -> [Route] {
    let (signOut, endSession) = (SignOutEndpoint(desk), EndSessionEndpoint(desk))
    return [
      .page(.get, "/signout") { try await signOut.get($0) },
      .page(.post, "/signout") { try await signOut.post($0) },
      .page(.get, "/oauth2/end_session") { try await endSession.get($0) },
      .page(.post, "/oauth2/end_session") { try await endSession.post($0) },
      .page(.get, "/signed-out") { try signOut.signedOut($0) },
    ]
  }
}
