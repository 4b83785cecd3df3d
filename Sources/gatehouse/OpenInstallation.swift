import Crypto
import Domain
import Flows
import HTTPClient
import Logging
import SQL
import Storage
import Upstream
import Web

/// An installation opened on its data directory, with what has to be closed again.
struct OpenInstallation: Sendable {
  let here: Installation
  let database: any Database
  let client: OutboundClient
  let time: SharedTime

  /// Why an installation cannot be opened, in words for the administrator.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Opens the database, brings it up to date, checks the key-encryption key.
  ///
  /// The caller holds the lock of the data directory. Unless it `mayCreate` the key, as at the first start, the file must
  /// be there.
  static func open(_ configuration: Configuration, mayCreate: Bool, log: Logger) async throws -> OpenInstallation {
    // What can fail without touching the database comes first.
    let (client, proxy) = try clients(configuration)
    let templates = try ProviderTemplateFiles.read(configuration)
    let certificates = try configuration.clientCertificates()
    let mailing = try configuration.mail?.mailing(configuration.publicDirectory)
    let key = try KeyFile(configuration).read()
    let database = try configuration.database.open()
    let store = Store(database)
    do {
      try await store.migrate()
    } catch SchemaFailure.newerThanProgram(let schema, let program) {
      throw Failure(
        description: "\(configuration.database) was written by a newer Gatehouse (schema \(schema), this program knows "
          + "\(program)). Start the newer program.")
    }
    let highWater = try await store.read { try $0.clockHighWater() }
    let time = try await SharedTime(database, log: log)
    let clock = Clock(wall: time.now, highWater: highWater)
    let vault = try await openVault(store, KeyFile(configuration), key, mayCreate: mayCreate, at: clock.now())
    let here = try await Installation(
      issuer: configuration.external.text, store: store, vault: vault, clock: clock,
      upstreams: Upstreams(
        client: client, proxy: proxy, certificateFiles: PKCS12Reader(program: Process.ownProgram),
        clientNetworks: configuration.clientNetworks), log: log,
      providerTemplates: templates, clientCertificates: certificates, registration: configuration.registration,
      rootPortal: configuration.rootPortal, mailing: mailing)
    // Of a shared database others may hold leases, which end by themselves.
    if !database.isShared {
      try await RecoverRefreshes(here).endLeases()
      try await DeliverMail(here).takeOver()
      try await DeliverWebhooks(here).takeOver()
    }
    return OpenInstallation(here: here, database: database, client: client, time: time)
  }

  private static func openVault(
    _ store: Store, _ file: KeyFile, _ key: KeyEncryptionKey?, mayCreate: Bool, at now: Timestamp
  ) async throws -> Vault {
    if let key {
      do { return try await OpenVault.open(store, with: key, at: now) } catch KeyFailure.wrongKey(let needed, let given)
      {
        throw file.isWrong(needed: needed, given: given)
      }
    }
    guard mayCreate, try await OpenVault.needsFirstKey(store) else { throw file.isMissing }
    return try await OpenVault.open(store, with: try file.create(), at: now)
  }

  /// One for what Gatehouse asks itself, one for what apps send on, which lasts longer.
  private static func clients(_ configuration: Configuration) throws -> (OutboundClient, proxy: OutboundClient) {
    var settings = OutboundSettings()
    settings.authorities = configuration.authorities
    do {
      let client = try OutboundClient(settings)
      (settings.inFlight, settings.perOrigin) = (512, 128)
      return (client, try OutboundClient(settings))
    } catch OutboundStartFailure.authorities(let file) {
      throw Failure(description: "\(file) holds no readable certificates: check \(Setting.authorities.variable).")
    }
  }

  func close() async throws { try await database.close() }
}
