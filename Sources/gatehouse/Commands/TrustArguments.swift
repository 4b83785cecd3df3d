import Domain
import Flows
import JSON

/// The options of `connection create` and `connection trust` by which a server is trusted by its public key.
enum TrustArguments {
  private static let host = Option("--host", "HOST:PORT", "The server; the connection's own address unless given.")
  private static let key = Option(
    "--spki", "SHA256",
    "Trust exactly this public key, the SHA-256 of its SubjectPublicKeyInfo, although no known authority signed the "
      + "server's certificate.")
  private static let until = Option(
    "--until", "DAY", "When the key is trusted no longer, such as 2027-06-30; a year from now unless given.")
  private static let withdraw = Option(switch: "--withdraw", "Trust the server's key no longer.")

  /// For `connection create`: of the server whose address it is given.
  static let creation = Option(
    "--spki", "SHA256",
    "Trust the server at the given address by exactly this public key, the SHA-256 of its SubjectPublicKeyInfo.")

  static let command = Command(
    name: "connection trust",
    summary: "Show the certificate of a connection's server, and trust exactly its public key.",
    operand: Operand(name: "ID", meaning: Connection.idRule), options: [host, key, until, withdraw, .json],
    action: .installation { here, arguments in
      guard let id = ConnectionID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not a connection's id: \(Connection.idRule).")
      }
      let server = try await server(arguments, id, here)
      if arguments.has(withdraw) {
        try await TrustServer(here).withdraw(server, of: id, by: nil, .commandLine)
        return CommandResult(output: "\(id): no key of \(server) is trusted any more")
      }
      guard let digest = arguments.value(of: key) else {
        let sight = try await TrustServer(here).look(at: server, of: id, isDeclaring: true)
        return arguments.has(.json) ? .json(sight.json) : CommandResult(output: sight.words(for: id))
      }
      let end = try arguments.values(of: until, "a day such as 2027-06-30", Timestamp.init(day:)).first
      let trusted = try await TrustServer(here).approve(
        .init(server: server, publicKey: digest, until: end), of: id, by: nil, .commandLine)
      if arguments.has(.json) {
        return .json(["server": .string(trusted.server), "until": .integer(trusted.until.seconds)])
      }
      return CommandResult(
        output: "\(id): \(trusted.server) is trusted by its key until \(String.moment(trusted.until))")
    })

  private static func server(
    _ arguments: Arguments, _ id: ConnectionID, _ here: Installation
  ) async throws -> String {
    let typed = arguments.value(of: host)
    guard let typed else {
      let connection = try await here.connectionEntry(id).0.connection
      guard let own = connection.server else { throw UsageFailure("--host is missing.") }
      return own
    }
    guard let url = ResourceURL("https://\(typed)") else {
      throw UsageFailure("\"\(typed)\" is no host and port, such as gis.example.org:443.")
    }
    return "\(url.host):\(url.port)"
  }

  /// The draft with its own server trusted, where the key was given; what it shows else when that is why it failed.
  static func trusting(_ draft: Connection, _ arguments: Arguments, _ here: Installation) async throws -> Connection {
    guard let digest = arguments.value(of: creation) else { return draft }
    let text = draft.origin.contains("://") ? draft.origin : "https://\(draft.origin)"
    guard let url = ResourceURL(text) else { throw UsageFailure("--spki needs the address of a server.") }
    return try await TrustServer(here).approve(
      .init(server: "\(url.host):\(url.port)", publicKey: digest, until: nil), in: draft)
  }
}

extension ServerSight {
  /// What an administrator reads.
  func words(for id: ConnectionID?) -> String {
    var lines = chain.map { one in
      """
      Subject:    \(one.subject)
      Issuer:     \(one.issuer)
      Valid:      \(String.moment(one.validFrom)) to \(String.moment(one.validUntil))
      SHA-256:    \(one.fingerprint)
      Public key: \(one.publicKeyFingerprint)
      """
    }
    let key = chain.first?.publicKeyFingerprint ?? ""
    let command = id.map { "gatehouse connection trust \($0) --host \(server) --spki \(key)" }
    let approve = command.map { "\n  \($0)" } ?? "add\n  --spki \(key)"
    switch (approval, distrust) {
    case (.fits, nil): lines.append("\(server) is trusted by this key.")
    case (_, nil): lines.append("\(server) is trusted: a known authority signed its certificate.")
    case (.otherKey, _):
      lines.append("\(server) shows another key than the approved one. If it is right, approve it again: \(approve)")
    case (.ended, _): lines.append("The approval of the key of \(server) has ended. To approve it again: \(approve)")
    default: lines.append("\(server) is not trusted. To trust exactly this public key: \(approve)")
    }
    return lines.joined(separator: "\n\n")
  }

  fileprivate var json: JSONValue {
    .object([
      .init("server", .string(server)), .init("trusted", .bool(distrust == nil)),
      .init("reason", distrust.map { .string($0.rawValue) } ?? .null),
      .init(
        "chain",
        .array(
          chain.map { one in
            .object([
              .init("subject", .string(one.subject)), .init("issuer", .string(one.issuer)),
              .init("sha256", .string(one.fingerprint)), .init("spki_sha256", .string(one.publicKeyFingerprint)),
              .init("not_before", .integer(one.validFrom.seconds)),
              .init("not_after", .integer(one.validUntil.seconds)),
            ])
          })),
    ])
  }
}
