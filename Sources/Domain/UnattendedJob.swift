/// A job of a client that vends a person's credential while the person is not there, and the rules for it.
public struct UnattendedJob: Sendable, Equatable {
  /// Why it runs, in its own words; people read them in the ledger.
  public let reason: String

  public init(reason: String) { self.reason = reason }

  /// In code points.
  static let longestReason = 256
  /// Of one client.
  static let mostNetworks = 50

  /// Whether people can read a reason as it is: 1 to 256 code points, of which none hides or moves others.
  public static func isReason(_ text: String) -> Bool {
    text.unicodeScalars.count <= longestReason && DisplayName.isVisible(text)
  }
}

extension Client {
  /// Whether anything of unattended use is registered.
  private var wantsUnattended: Bool {
    options.unattendedKeys != nil || !options.unattendedNetworks.isEmpty || scope.contains(Scope.unattended)
      || permissions.contains(where: \.isUnattended)
  }

  /// What unattended use lacks, with the field to mend: all of it is registered, or nothing.
  var unattendedObjections: [(field: String, text: String)] {
    guard wantsUnattended else { return [] }
    var found: [(String, String)] = []
    if kind == .public { found.append(("type", "Unattended use is for confidential clients alone.")) }
    if !grants.contains(.tokenExchange) || !signsPeopleIn {
      let text =
        "Unattended use needs the grants token-exchange, and authorization_code or device_code, by which people"
      found.append(("grant", text + " allow it."))
    }
    if !scope.contains(Scope.vend) || !scope.contains(Scope.unattended) {
      let text =
        "Unattended use needs the scopes \(Scope.vend) and \(Scope.unattended), by which the app asks people for it."
      found.append(("scope", text))
    }
    if options.unattendedKeys == nil {
      found.append(
        ("unattended_keys", "Unattended use needs public keys of its own, which the client does not authenticate with.")
      )
    }
    if !(1...UnattendedJob.mostNetworks).contains(options.unattendedNetworks.count) {
      let text = "Unattended use needs the networks that its jobs run in, \(UnattendedJob.mostNetworks) at most."
      found.append(("unattended_networks", text))
    }
    if !permissions.contains(where: \.isUnattended) {
      found.append(("connection", "Unattended use needs the connections that may be used unattended."))
    }
    return found
  }
}

extension Client.Permission {
  /// Why `connection` must not be used unattended like this, or `nil`.
  public func unattendedObjection(to connection: Connection) -> String? {
    guard isUnattended else { return nil }
    if connection.kind.isServiceOwned {
      return "\(connection.name) is Gatehouse’s own and nobody’s in person: jobs use it with client_credentials."
    }
    guard !handsOutRawTokens, !connection.kind.isNetwork else { return nil }
    return "\(connection.name) is used by the proxy only, which takes no unattended jobs: let the client have the raw "
      + "token, or take unattended use away."
  }
}
