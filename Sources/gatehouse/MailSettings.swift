import Domain
import Flows
import Mail
import Pages

/// How mail is sent, where that is set.
struct MailSettings: Sendable {
  let server: MailServer
  let sender: MailSender

  /// `nil` without a server.
  init?(_ given: inout GivenSettings, external: String, organisation: String, authorities: String?) {
    guard !given.text(.smtpURL).isEmpty else {
      for setting in [Setting.mailFrom, .smtpUser, .smtpPasswordFile, .smtpTLS] where !given.text(setting).isEmpty {
        given.object("\(given.name(setting)) is set, but \(Setting.smtpURL.variable) is not.")
      }
      return nil
    }
    let from = given.take(.mailFrom) { EmailAddress($0) }
    let tls = given.take(.smtpTLS) { ["", "required", "none"].contains($0) ? $0 : nil }
    let place = given.take(.smtpURL, Self.place)
    guard let from, let tls, let place else { return nil }
    var server = MailServer(
      host: place.host, port: place.port,
      protection: place.isTLS
        ? .tls : tls == "none" || tls.isEmpty && MailServer.isLoopback(place.host) ? .none : .startTLS)
    server.authorities = authorities
    server.clientName = external
    guard Self.logIn(&server, &given) else { return nil }
    self.server = server
    sender = MailSender(name: organisation.isEmpty ? "Gatehouse" : organisation, address: from)
  }

  /// Takes user name and password, which go together, and never in clear to another machine.
  private static func logIn(_ server: inout MailServer, _ given: inout GivenSettings) -> Bool {
    let (user, file) = (given.text(.smtpUser), given.text(.smtpPasswordFile))
    guard user.isEmpty == file.isEmpty else {
      let (set, missing): (Setting, Setting) =
        file.isEmpty ? (.smtpUser, .smtpPasswordFile) : (.smtpPasswordFile, .smtpUser)
      given.object("\(given.name(set)) is set, but \(missing.variable) is not: set both or neither.")
      return false
    }
    guard !user.isEmpty else { return true }
    if case .none = server.protection, !server.isLoopback {
      given.object(
        "\(given.name(.smtpUser)) is set, but the password would go in clear to \(server.host): use smtps, or leave "
          + "\(Setting.smtpTLS.variable) empty.")
      return false
    }
    do {
      let bytes = try Files.readSecret(file).revealed
      let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      guard !line.isEmpty else {
        given.object("\(given.name(.smtpPasswordFile)) names \(file), which is empty.")
        return false
      }
      (server.username, server.password) = (user, Secret(Array(line)))
      return true
    } catch {
      given.object("\(given.name(.smtpPasswordFile)): \(error)")
      return false
    }
  }

  private static func place(_ text: String) -> (host: String, port: Int, isTLS: Bool)? {
    guard let scheme = ["smtp://", "smtps://"].first(where: text.hasPrefix) else { return nil }
    let isTLS = scheme == "smtps://"
    let rest = text.dropFirst(scheme.count)
    let end = rest.hasPrefix("[") ? rest.firstIndex(of: "]").map { rest.index(after: $0) } : rest.firstIndex(of: ":")
    let host = rest[..<(end ?? rest.endIndex)]
    let port = rest[host.endIndex...]
    let isPlain =
      !host.isEmpty
      && host.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-.:[]".utf8.contains(byte)
        }
      }
    guard isPlain, port.isEmpty || port.hasPrefix(":") else { return nil }
    guard !port.isEmpty else { return (String(host), isTLS ? 465 : 587, isTLS) }
    guard let number = Int(port.dropFirst()), (1...65_535).contains(number) else { return nil }
    return (String(host), number, isTLS)
  }

  /// What sends, with the catalogues of the public directory.
  func mailing(_ publicDirectory: String) throws -> Mailing {
    let catalogues: Catalogues
    do { catalogues = try Catalogues(directory: "\(publicDirectory)/languages") } catch {
      throw Configuration.Failure(
        description: "\(error). Point GATEHOUSE_PUBLIC at the Public directory of Gatehouse.")
    }
    return Mailing(MailClient(server), from: sender, in: catalogues)
  }
}
