import Domain

extension Installation {
  func seal(_ tokens: UpstreamTokens, for revocation: Revocation, _ connection: Connection) throws -> Sealed {
    try vault.seal(tokens.revocable.sealable, in: place(of: revocation, connection))
  }

  func unseal(_ sealed: Sealed, of revocation: Revocation, _ connection: Connection) throws -> UpstreamTokens {
    try UpstreamTokens(unsealed: vault.open(sealed, in: place(of: revocation, connection)))
  }

  private func place(of revocation: Revocation, _ connection: Connection) -> SealContext {
    SealContext(
      table: "revocation", column: "tokens", row: revocation.id.text, account: revocation.account.text,
      binding: "\(connection.id) \(connection.origin) \(connection.clientID) \(connection.revision)")
  }
}
