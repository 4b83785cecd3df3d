import Domain
import Flows
import HTTPClient
import Logging
import SQLite
import Storage
import Upstream
import Web

/// An installation opened on its data directory, with what has to be closed again.
struct OpenInstallation: Sendable {
  let here: Installation
  let database: SQLiteDatabase
  let client: OutboundClient

  /// Why an installation cannot be opened, in words for the administrator.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Opens the database, brings it up to date, checks the key-encryption key; makes both on the first start.
  ///
  /// The caller holds the lock of the data directory.
  static func open(_ configuration: Configuration, log: Logger) async throws -> OpenInstallation {
    let database = try SQLiteDatabase.open(path: configuration.database)
    let store = Store(database)
    do {
      try await store.migrate()
    } catch SchemaFailure.newerThanProgram(let schema, let program) {
      throw Failure(
        description: "\(configuration.database) was written by a newer Gatehouse (schema \(schema), this program knows "
          + "\(program)). Start the newer program.")
    }
    let highWater = try await store.read { try $0.clockHighWater() }
    let clock = Clock(wall: Process.wallClock, highWater: highWater)
    let vault = try await openVault(store, configuration, at: clock.now())
    let client = try OutboundClient()
    let here = try await Installation(
      issuer: configuration.external.text, store: store, vault: vault, clock: clock,
      upstreams: Upstreams(client: client),
      log: log)
    return OpenInstallation(here: here, database: database, client: client)
  }

  private static func openVault(_ store: Store, _ configuration: Configuration, at now: Timestamp) async throws -> Vault
  {
    let path = configuration.kekFile
    if !Files.exists(path) {
      guard try await OpenVault.needsFirstKey(store) else {
        throw Failure(
          description: "The key file \(path) is missing, and the database holds values sealed under it. Put the file "
            + "back; without it they cannot be read.")
      }
      try Files.create(path, mode: 0o400, KeyEncryptionKey.random().fileText)
    }
    do {
      return try await OpenVault.open(store, with: KeyEncryptionKey(fileText: try Files.readSecret(path)), at: now)
    } catch KeyFailure.unreadableFile {
      throw Failure(description: "\(path) is not a key file of Gatehouse.")
    } catch KeyFailure.wrongKey(let needed, let given) {
      throw Failure(
        description:
          "\(path) holds the key \(given), but the database was sealed under \(needed.joined(separator: ", ")). "
          + "Put the right key file back.")
    }
  }

  func close() async throws { try await database.close() }
}
