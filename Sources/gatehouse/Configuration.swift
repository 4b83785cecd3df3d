import Domain
import HTTPServer
import JSON
import Logging
import Web

/// Everything that an administrator can set; read once at start.
struct Configuration: Sendable {
  let listen: ListenAddress
  let external: ExternalURL
  let dataDirectory: String
  let database: String
  let kekFile: String
  let publicDirectory: String
  let organisation: String
  let trustedProxies: [AddressRange]
  let maximumConnections: Int
  let tlsCertificate: String?
  let tlsKey: String?
  let logLevel: LogLevel

  /// What is wrong with the configuration, in one sentence that names the key.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// One key: its name in the file, what it means and its default.
  ///
  /// In the environment it is `GATEHOUSE_` and capitals.
  struct Key: Sendable {
    let name: String
    let meaning: String
    let standard: String

    var variable: String { "GATEHOUSE_\(name.uppercased())" }
  }

  static let keys: [Key] = [
    Key(name: "listen", meaning: "Address and port to listen on.", standard: "127.0.0.1:8080"),
    Key(
      name: "external_url",
      meaning: "How people and apps reach this installation; https, or http on localhost. May have a path.",
      standard: "http://localhost:8080"),
    Key(name: "data", meaning: "Directory for the database, the lock and the control socket.", standard: "./data"),
    Key(name: "database", meaning: "sqlite:PATH; empty is gatehouse.db in the data directory.", standard: ""),
    Key(
      name: "kek_file",
      meaning: "File with the key-encryption key, mode 0400; made on the first start. Keep a copy elsewhere.",
      standard: "./gatehouse.kek"),
    Key(name: "public", meaning: "Directory with the pages and assets.", standard: "./Public"),
    Key(name: "organisation", meaning: "Who runs this installation, as shown on every page.", standard: ""),
    Key(
      name: "trusted_proxies", meaning: "Networks (CIDR, comma-separated) whose forwarded headers are believed.",
      standard: ""),
    Key(name: "max_connections", meaning: "How many connections are held open at most.", standard: "10000"),
    Key(
      name: "tls_certificate", meaning: "PEM file with the certificate chain; with tls_key, serves https.", standard: ""
    ),
    Key(name: "tls_key", meaning: "PEM file with the private key.", standard: ""),
    Key(name: "log_level", meaning: "debug, info, warning or error.", standard: "info"),
  ]

  /// Variables that begin with `GATEHOUSE_` but are not keys.
  private static let otherVariables: Set<String> = [
    "GATEHOUSE_CONFIG", "GATEHOUSE_FAILPOINT", "GATEHOUSE_INIT", "GATEHOUSE_VECTORS",
  ]

  /// Reads the file, then the environment, which wins.
  ///
  /// `GATEHOUSE_CONFIG` in the environment names the file; `./gatehouse.json` is read when it is there.
  static func load(_ environment: [String: String]) throws -> Configuration {
    var values = Dictionary(uniqueKeysWithValues: keys.map { ($0.name, $0.standard) })
    let file = environment["GATEHOUSE_CONFIG"] ?? "./gatehouse.json"
    if environment["GATEHOUSE_CONFIG"] != nil || Files.exists(file) {
      for (name, value) in try fileValues(file) { values[name] = value }
    }
    for (variable, value) in environment where variable.hasPrefix("GATEHOUSE_") && !otherVariables.contains(variable) {
      guard let key = keys.first(where: { $0.variable == variable }) else {
        throw Failure(description: "\(variable) is not a setting. Run 'gatehouse config' for the list.")
      }
      values[key.name] = value
    }
    return try Configuration(values)
  }

  private static func fileValues(_ path: String) throws -> [(String, String)] {
    let json: JSONValue
    do { json = try JSONValue(parsing: try Files.read(path)) } catch let failure as JSONFailure {
      throw Failure(description: "\(path): \(failure)")
    }
    guard let members = json.object else { throw Failure(description: "\(path) must hold one JSON object.") }
    return try members.map { member in
      guard keys.contains(where: { $0.name == member.name }) else {
        throw Failure(description: "\(path): \"\(member.name)\" is not a setting. Run 'gatehouse config' for the list.")
      }
      if let text = member.value.string { return (member.name, text) }
      if let number = member.value.integer { return (member.name, String(number)) }
      throw Failure(description: "\(path): \"\(member.name)\" must be a string or a whole number.")
    }
  }

  private init(_ values: [String: String]) throws {
    func value(_ name: String) -> String { values[name] ?? "" }
    do {
      listen = try ListenAddress(value("listen"))
      trustedProxies = try value("trusted_proxies").split(separator: ",").map { try AddressRange(String($0)) }
      external = try ExternalURL(value("external_url"))
    } catch let objection as ExternalURL.Objection {
      throw Failure(description: "external_url: \(objection.text)")
    } catch let failure as ServerFailure { throw Failure(description: "\(failure)") }
    guard external.isHTTPS || listen.address.isLoopback else {
      throw Failure(
        description: "listen is \(listen), where other machines can reach it, but external_url is plain http. Set "
          + "external_url to the https address that people use, or listen on 127.0.0.1.")
    }
    dataDirectory = value("data")
    database = try Self.databasePath(value("database"), in: dataDirectory)
    kekFile = value("kek_file")
    publicDirectory = value("public")
    organisation = value("organisation")
    guard let count = Int(value("max_connections")), (10...1_000_000).contains(count) else {
      throw Failure(description: "max_connections must be a whole number from 10 to 1000000.")
    }
    maximumConnections = count
    tlsCertificate = value("tls_certificate").isEmpty ? nil : value("tls_certificate")
    tlsKey = value("tls_key").isEmpty ? nil : value("tls_key")
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw Failure(description: "tls_certificate and tls_key belong together: set both or neither.")
    }
    guard let level = LogLevel(name: value("log_level")) else {
      throw Failure(description: "log_level must be debug, info, warning or error.")
    }
    logLevel = level
  }

  private static func databasePath(_ value: String, in directory: String) throws(Failure) -> String {
    if value.isEmpty { return "\(directory)/gatehouse.db" }
    guard value.hasPrefix("sqlite:"), value.utf8.count > 7 else {
      throw Failure(description: "database must be sqlite:PATH.")
    }
    return String(value.dropFirst(7))
  }

  /// The table that `gatehouse config` prints.
  static var table: String {
    keys.map { "\($0.variable)\n    \($0.meaning)\n    Default: \($0.standard.isEmpty ? "(empty)" : $0.standard)" }
      .joined(separator: "\n")
  }
}
