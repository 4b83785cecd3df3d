import Domain
import Flows
import HTTP
import HTTPServer
import Logging
import PostgreSQL
import Web

/// Everything that an administrator can set; read once at start.
struct Configuration: Sendable {
  let listen: ListenAddress
  let external: ExternalURL
  let dataDirectory: String
  let database: DatabaseLocation
  let kekFile: String
  let publicDirectory: String
  let brand: Brand
  let published: PublishedAddresses
  let trustedProxies: [AddressRange]
  let maximumConnections: Int
  let tlsCertificate: String?
  let tlsKey: String?
  let authorities: String?
  /// Where apps are asked for their certificates.
  let certificateListen: ListenAddress?
  let certificateHeader: FieldName?
  let clientAuthorities: String?
  /// Where apps of the organisation may have their own addresses.
  let clientNetworks: [AddressRange]
  let rootPortal: ConnectionID?
  let registration: RegistrationPolicy
  /// How mail is sent; `nil` where none is.
  let mail: MailSettings?
  let logLevel: LogLevel

  /// What is wrong with the configuration, in sentences that name the setting, its value and what is allowed.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Where the database is unless a setting says otherwise, in the data directory.
  private static let databaseName = "gatehouse.db"

  static let command = Command(
    name: "config", summary: "List every setting with its meaning and default, or print the value of one.",
    operand: Operand(name: "SETTING", meaning: "the setting whose value is printed, such as data.", isOpen: true),
    action: .program { arguments in
      guard !arguments.operand.isEmpty else { return CommandResult(output: Setting.table) }
      guard let setting = Setting.all.first(where: { $0.name == arguments.operand }) else {
        let near = Spelling.suggestion(for: arguments.operand, among: Setting.all.map(\.name))
        throw UsageFailure("There is no setting '\(arguments.operand)'.\(near) Run 'gatehouse config' for the list.")
      }
      let (_, given) = try read(Process.environment)
      return CommandResult(output: given.printable(setting))
    })

  /// Reads the file, then the environment, which wins.
  ///
  /// `GATEHOUSE_CONFIG` in the environment names the file; `./gatehouse.json` is read when it is there.
  ///
  /// - Throws: ``Failure`` with everything that is wrong.
  static func load(_ environment: [String: String]) throws(Failure) -> Configuration { try read(environment).0 }

  private static func read(_ environment: [String: String]) throws(Failure) -> (Configuration, GivenSettings) {
    var given = GivenSettings()
    let file = environment["GATEHOUSE_CONFIG"] ?? "./gatehouse.json"
    if environment["GATEHOUSE_CONFIG"] != nil || Files.exists(file) { given.read(file: file) }
    given.read(environment)
    return (try Configuration(&given), given)
  }

  private init(_ given: inout GivenSettings) throws(Failure) {
    let listen = given.take(.listen, Self.listenAddress)
    // Whoever moves to another port means its links as well.
    if !given.has(.externalURL) { given.set(.externalURL, "http://localhost:\(listen?.port ?? 8080)") }
    let external = given.take(.externalURL) { try ExternalURL($0) }
    let proxies = given.take(.trustedProxies, Self.networks)
    let clientNetworks = given.take(.clientNetworks, Self.networks)
    let registration = Self.registration(&given)
    let data = given.take(.data) { $0.isEmpty ? nil : $0 }
    let database = Self.database(&given, in: data ?? "")
    let kekFile = given.take(.kekFile) { $0.isEmpty ? nil : $0 }
    let pages = given.take(.publicDirectory) { $0.isEmpty ? nil : $0 }
    let connections = given.take(.maximumConnections) { text in
      Int(text).flatMap { (10...1_000_000).contains($0) ? $0 : nil }
    }
    let level = given.take(.logLevel) { LogLevel(name: $0) }
    brand = Brand(&given)
    published = Self.published(&given)
    tlsCertificate = given.text(.tlsCertificate).isEmpty ? nil : given.text(.tlsCertificate)
    tlsKey = given.text(.tlsKey).isEmpty ? nil : given.text(.tlsKey)
    rootPortal = given.text(.rootPortal).isEmpty ? nil : given.take(.rootPortal) { ConnectionID($0) }
    authorities = given.text(.authorities).isEmpty ? nil : given.text(.authorities)
    mail = MailSettings(
      &given, external: external?.host ?? "localhost", organisation: brand.organisation, authorities: authorities)
    if (tlsCertificate == nil) != (tlsKey == nil) {
      let (set, missing): (Setting, Setting) =
        tlsKey == nil ? (.tlsCertificate, .tlsKey) : (.tlsKey, .tlsCertificate)
      given.object("\(given.name(set)) is set, but \(missing.variable) is not: set both or neither.")
    }
    certificateListen =
      given.text(.certificateListen).isEmpty ? nil : given.take(.certificateListen, Self.listenAddress)
    certificateHeader = given.text(.certificateHeader).isEmpty ? nil : given.take(.certificateHeader) { FieldName($0) }
    clientAuthorities = given.text(.clientAuthorities).isEmpty ? nil : given.text(.clientAuthorities)
    if certificateListen != nil, tlsCertificate == nil {
      given.object("\(given.name(.certificateListen)) is set, but \(Setting.tlsCertificate.variable) is not.")
    }
    if certificateHeader != nil, proxies?.isEmpty ?? false {
      given.object("\(given.name(.certificateHeader)) is set, but \(Setting.trustedProxies.variable) is not.")
    }
    if let listen, let external, !external.isHTTPS, !listen.address.isLoopback {
      given.object(
        "\(given.name(.listen)) is \"\(listen)\", where other machines can reach it, but \(given.name(.externalURL)) is "
          + "plain http (\"\(external.text)\"): set it to the https address that people use, or listen on 127.0.0.1.")
    }
    guard let listen, let external, let proxies, let clientNetworks, let registration, let data, let database,
      let kekFile, let pages, let connections,
      let level, given.objections.isEmpty
    else { throw given.failure }
    self.listen = listen
    self.external = external
    trustedProxies = proxies
    self.clientNetworks = clientNetworks
    self.registration = registration
    dataDirectory = data
    self.database = database
    self.kekFile = kekFile
    publicDirectory = pages
    maximumConnections = connections
    logLevel = level
  }

  private static func published(_ given: inout GivenSettings) -> PublishedAddresses {
    PublishedAddresses(
      securityContact: given.text(.securityContact).isEmpty ? nil : given.take(.securityContact, contact),
      policy: given.page(.policyURI), terms: given.page(.termsURI))
  }

  /// The parser's own words would only repeat the rule of the setting.
  private static func listenAddress(_ text: String) -> ListenAddress? {
    do { return try ListenAddress(text) } catch { return nil }
  }

  private static func networks(_ text: String) throws -> [AddressRange] {
    try text.split(separator: ",").map { try AddressRange(configured: $0.filter { $0 != " " }) }
  }

  private static func registration(_ given: inout GivenSettings) -> RegistrationPolicy? {
    let mode = given.take(.registration) { RegistrationPolicy.Mode(rawValue: $0) }
    let days = given.take(.registrationUnusedDays) { text in
      Int64(text).flatMap { (1...3650).contains($0) ? $0 : nil }
    }
    guard let mode, let days else { return nil }
    var policy = RegistrationPolicy()
    (policy.mode, policy.unusedDays) = (mode, days)
    return policy
  }

  private static func contact(_ text: String) -> String? {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isPlain && ["https:", "mailto:", "tel:"].contains { text.hasPrefix($0) } ? text : nil
  }

  private static func database(_ given: inout GivenSettings, in directory: String) -> DatabaseLocation? {
    let text = given.text(.database)
    guard DatabaseLocation.isConnectionString(text) else {
      return given.take(.database) { value in
        if value.isEmpty { return .sqlite(path: "\(directory)/\(databaseName)") }
        guard value.hasPrefix("sqlite:"), value.utf8.count > 7 else { return nil }
        return .sqlite(path: String(value.dropFirst(7)))
      }
    }
    do { return .postgreSQL(try ConnectionString(text)) } catch {
      // The value itself may hold a password.
      given.object("\(given.name(.database)) cannot be used: \(error.sentence).")
      return nil
    }
  }
}
