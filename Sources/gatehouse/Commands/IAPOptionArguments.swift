import Domain
import Flows

/// The options of `connection create` for an application proxy: the SDKs' file as it is, or what stands in it.
enum IAPOptionArguments {
  private static let config = Option(
    "--config", "FILE",
    "For iap: the JSON file in which the ArcGIS Maps SDKs keep an IAPConfiguration, as it is. It must be readable by its "
      + "owner alone when a client secret stands in it.")
  private static let tenant = Option(
    "--tenant", "TENANT",
    "For iap without a file: the organisation's id in Microsoft Entra, or one of its domains, such as contoso.com.")
  private static let addresses = [
    "authorize_url": Option(
      "--authorize-url", "URL",
      "For iap in another cloud of Microsoft's, in place of --tenant: the sign-in address, such as "
        + "https://HOST/TENANT/oauth2/v2.0/authorize."),
    "token_url": Option("--token-url", "URL", "Likewise: the token address, which ends with /oauth2/v2.0/token."),
    "logout_url": Option("--logout-url", "URL", "Likewise: the sign-out address, which ends with /oauth2/v2.0/logout."),
  ]
  private static let prompt = Option(
    "--prompt", "PROMPT", "For iap: what Microsoft's sign-in page asks: none, login, consent or select_account.")
  private static let tenants = Option(
    "--admit-tenant", "ID",
    "For iap whose addresses name common or organizations: the id of an organisation whose people may sign in.",
    .repeatable)
  private static let everyHost = Option(
    switch: "--every-host",
    "For iap: the host * is meant, although apps then get the person's token for any https address.")

  static let all =
    [config, tenant] + addresses.sorted { $0.key < $1.key }.map(\.value) + [prompt, tenants, everyHost]

  static func allowsEveryHost(_ arguments: Arguments) -> Bool { arguments.has(everyHost) }

  /// Reads what is given for the kind `iap`; nothing may be given for another.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - kind: What is to be made.
  ///   - clientID: Of the app that App Proxy publishes, where it does not stand in a file.
  ///   - scopes: Likewise.
  /// - Returns: The configuration; `nil` for another kind.
  /// - Throws: `UsageFailure` with everything that is wrong; `Files.Failure`.
  static func read(
    _ arguments: Arguments, _ kind: Connection.Kind, clientID: Option, scopes: Option
  ) throws -> IAPConfiguration? {
    guard kind == .iap else {
      if let given = all.first(where: arguments.has) {
        throw UsageFailure("\(given.name) is not for the kind \(kind.rawValue).")
      }
      return nil
    }
    if let path = arguments.value(of: config) {
      let others = [tenant] + Array(addresses.values) + [prompt, clientID, scopes]
      if let given = others.first(where: arguments.has) {
        throw UsageFailure("\(given.name) stands in the file that --config names: give one of them.")
      }
      return try read(path, allowsEveryHost: arguments.has(everyHost))
    }
    let typed = try typedAddresses(arguments)
    let id = try arguments.required(clientID)
    return try orFailure("The connection cannot be made") { () throws(IAPConfiguration.Failure) in
      try IAPConfiguration.typed(
        typed, clientID: id, scopes: arguments.values(of: scopes), prompt: arguments.value(of: prompt) ?? "")
    }
  }

  static func readTenants(_ arguments: Arguments) -> [String] { arguments.values(of: tenants).map { $0.lowercased() } }

  private static func read(_ path: String, allowsEveryHost: Bool) throws -> IAPConfiguration {
    let bytes = try Files.read(path, limit: IAPConfigurationFile.longest)
    let configuration = try orFailure("\(path) cannot be used") { () throws(IAPConfiguration.Failure) in
      try IAPConfigurationFile.read(bytes, allowsEveryHost: allowsEveryHost)
    }
    if configuration.clientSecret != nil { _ = try Files.readSecret(path) }
    return configuration
  }

  private static func typedAddresses(_ arguments: Arguments) throws(UsageFailure) -> [String: IAPConfiguration.Member] {
    let given = addresses.compactMapValues { arguments.value(of: $0) }
    guard let name = arguments.value(of: tenant) else {
      guard !given.isEmpty else { throw UsageFailure("--config FILE or --tenant TENANT is missing.") }
      return given.mapValues { .text($0) }
    }
    guard given.isEmpty else { throw UsageFailure("--tenant names the addresses already: give one of them.") }
    guard let typed = IAPConfiguration.addresses(ofTenant: name) else {
      throw UsageFailure("--tenant is \"\(name)\", but must be a tenant's id, which is a GUID, or one of its domains.")
    }
    return typed
  }

  /// Says everything that is wrong at once.
  private static func orFailure(
    _ what: String, _ read: () throws(IAPConfiguration.Failure) -> IAPConfiguration
  ) throws(UsageFailure) -> IAPConfiguration {
    do { return try read() } catch {
      throw UsageFailure("\(what):\n" + error.objections.map { "  \($0)" }.joined(separator: "\n"))
    }
  }
}
