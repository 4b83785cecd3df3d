import Domain
import Flows
import HTTP
import HTTPServer
import Logging
import Pages
import TLS
import Web

/// `gatehouse serve`: opens the installation, answers requests until a signal, stops gracefully.
struct Serve: Sendable {
  let configuration: Configuration
  let log: Logger
  /// Whether a fresh installation may be begun under a public address.
  let mayInitialise: Bool

  /// Seconds that requests in flight get at a stop.
  private static let patience = Duration.seconds(10)

  func run() async throws {
    let opened = try await OpenInstallation.open(configuration, log: log)
    let here = opened.here
    let server = try makeServer(here)
    let control = ControlSocket(configuration)
    let commands = try control.listen()
    try server.start()
    try await announce(here, port: server.port)
    log.info("started", ["listen": .string(configuration.listen.description), "url": .string(here.issuer)])
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await BackgroundWork(here).run() }
      group.addTask { await control.serve(CommandRunner(here: here), on: commands) }
      await Signals.stop()
      log.info("stopping")
      let isClean = await server.stop(within: Self.patience)
      if !isClean { log.warning("requests were cut because they took too long") }
      here.close()
      group.cancelAll()
    }
    try await opened.close()
    log.info("stopped")
    log.flush()
  }

  private func makeServer(_ here: Installation) throws -> Server {
    let assets = try loadAssets()
    guard let style = assets.hashedName(of: "style.css"), let logo = assets.hashedName(of: "logo.svg") else {
      throw Configuration.Failure(
        description:
          "\(configuration.publicDirectory)/assets has no style.css or logo.svg. Point GATEHOUSE_PUBLIC at the "
          + "Public directory of Gatehouse.")
    }
    let pages = try PageLibrary(directory: "\(configuration.publicDirectory)/pages")
    let app = App(
      here, external: configuration.external, pages: pages,
      look: Look(
        organisation: configuration.organisation.isEmpty ? nil : configuration.organisation,
        stylePath: "/assets/\(style)", logoPath: "/assets/\(logo)"))
    var settings = ServerConfiguration(address: configuration.listen, tls: try tls(), logger: log)
    settings.trustedProxies = configuration.trustedProxies
    settings.limits.connections = configuration.maximumConnections
    let base = configuration.external.basePath
    // The description of the API stands at its usual place.
    let files = assets.answers(
      in: base + "/assets/", and: [base + "/openapi.json": "openapi.json"], finish: app.secured)
    return Server(configuration: settings) { request in
      if let file = files.response(for: request) { return file }
      return await app.respond(to: request)
    }
  }

  private func loadAssets() throws -> StaticFiles {
    do {
      return try StaticFiles(directory: "\(configuration.publicDirectory)/assets")
    } catch {
      throw Configuration.Failure(description: "\(error). Point GATEHOUSE_PUBLIC at the Public directory of Gatehouse.")
    }
  }

  private func tls() throws -> TLSContext? {
    guard let certificate = configuration.tlsCertificate, let key = configuration.tlsKey else { return nil }
    return try TLSContext(files: CertificateFiles(chain: certificate, key: key))
  }

  /// Tells whoever started the program where it is, and how to make the first administrator.
  ///
  /// The setup link goes to a terminal or a file that only we can read, never to a collected log.
  private func announce(_ here: Installation, port: UInt16) async throws {
    let setUp = SetUp(here)
    let path = "\(configuration.dataDirectory)/setup-link"
    if try await setUp.isDone() {
      Files.remove(path)
      return
    }
    guard configuration.external.isHTTPS == false || mayInitialise else {
      throw Configuration.Failure(
        description: "This installation has no administrator yet, and \(here.issuer) is public. Start it once with "
          + "'gatehouse serve --init', or run 'gatehouse setup' first.")
    }
    let link = "\(here.issuer)/setup?ticket=\(try await setUp.makeLink().revealedText)"
    try Files.replace(path, mode: 0o600, Secret(link + "\n"))
    if Files.outputIsTerminal {
      Process.print("No administrator yet. Open this link within 30 minutes to make one:\n\n  \(link)\n")
    } else {
      Process.print("No administrator yet. The link to make one is in \(path), for 30 minutes.")
    }
  }

}
