public import Domain
internal import HTTP
internal import JSON

extension APIKey {
  /// Makes each key anew, which ends it at once, and forgets the new one.
  ///
  /// A key that has ended already is left alone: somebody may have made a key in its slot since then.
  public func revoke(
    _ tokens: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> RevocationOutcome {
    guard let item = tokens.keyItem, tokens.canCancelKeys else { return .unsupported }
    for key in [tokens.key] + (tokens.nextKey.map { [$0] } ?? []) {
      guard let slot = key.apiKeySlot else { continue }
      do { try await check(key, registration.connection) } catch .refused { continue }
      try await regenerate(slot, of: item, registration.connection)
    }
    return .revoked
  }

  private func regenerate(_ slot: Int, of item: KeyItem, _ connection: Connection) async throws(UpstreamFailure) {
    var call = Dialer.Call(
      url: connection.portalURL("oauth2/token"),
      form: [
        "f": "json", "grant_type": "client_credentials", "client_id": item.clientID,
        "client_secret": item.clientSecret.revealedText, "apiToken": String(slot), "regenerateApiToken": "true",
      ])
    call.isPrecious = true
    let reply = try await generated.dialer.send(call, for: connection)
    _ = try TokenAnswer(try reply.portalObject(), host: reply.host)
  }
}
