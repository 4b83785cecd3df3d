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
  private let configuration: Configuration
  private let log: Logger
  private let files: PublicFiles
  private let tls: TLSContext?
  /// For the listener that asks apps for their certificates.
  private let certificateTLS: TLSContext?
  /// Whether a fresh installation may be begun under a public address.
  private let mayInitialise: Bool

  /// How long requests in flight get at a stop.
  private static let patience = Duration.seconds(10)

  private static let initialise = Option(
    switch: "--init",
    "Begin a new installation although its address is public (https): whoever opens the setup link that it writes to "
      + "its data directory becomes the administrator. Not needed on localhost, or after 'gatehouse setup'.")

  static let command = Command(
    name: "serve", summary: "Run the server until SIGTERM or SIGINT (Ctrl-C).", options: [initialise],
    action: .program { arguments in
      let configuration = try Configuration.load(Process.environment)
      try await Serve(configuration, mayInitialise: arguments.has(initialise)).run()
      return CommandResult(output: "")
    })

  /// Tries everything that a setting can spoil, and makes nothing yet.
  private init(_ configuration: Configuration, mayInitialise: Bool) throws {
    self.configuration = configuration
    self.mayInitialise = mayInitialise
    log = Logger(level: configuration.logLevel)
    files = try PublicFiles(configuration)
    tls = try Self.tls(configuration)
    certificateTLS = try configuration.certificateTLS()
    let control = ControlSocket(configuration)
    try control.checkPath()
    if try control.answers() { throw DataDirectory(configuration).isTaken }
    try Self.explained { () throws(ServerFailure) in
      try configuration.listen.checkFree()
      try configuration.certificateListen?.checkFree()
    }
    if try !DataDirectory(configuration).holdsInstallation { try checkBeginning() }
  }

  private static func tls(_ configuration: Configuration) throws -> TLSContext? {
    guard let certificate = configuration.tlsCertificate, let key = configuration.tlsKey else { return nil }
    do {
      return try TLSContext(files: CertificateFiles(chain: certificate, key: key))
    } catch {
      throw Configuration.Failure(
        description: "\(error). Check GATEHOUSE_TLS_CERTIFICATE and GATEHOUSE_TLS_KEY.")
    }
  }

  /// Says which setting leads out of a failure to listen.
  private static func explained(_ body: () throws(ServerFailure) -> Void) throws {
    do { try body() } catch ServerFailure.listen(let text) {
      throw Configuration.Failure(
        description: "\(text); choose another with GATEHOUSE_LISTEN or GATEHOUSE_CERTIFICATE_LISTEN")
    }
  }

  private func checkBeginning() throws(Configuration.Failure) {
    guard configuration.external.isHTTPS, !mayInitialise else { return }
    throw Configuration.Failure(
      description: "This installation has no administrator yet, and \(configuration.external.text) is public. Start it "
        + "once with 'gatehouse serve --init', or run 'gatehouse setup' first.")
  }

  private func run() async throws {
    let directory = DataDirectory(configuration)
    try directory.prepare()
    let control = ControlSocket(configuration)
    guard try await directory.lock(unless: { try control.answers() }) else { throw directory.isTaken }
    let opened = try await OpenInstallation.open(configuration, mayCreate: true, log: log)
    let here = opened.here
    let hasAdministrator = try await SetUp(here).isDone()
    if !hasAdministrator { try checkBeginning() }
    let servers = makeServers(here)
    // Whoever sees the server answer may stop it in the next moment.
    let signals = Signals()
    let commands = try control.listen()
    try Self.explained { () throws(ServerFailure) in for server in servers { try server.start() } }
    try await announce(here, hasAdministrator: hasAdministrator)
    log.info("started", ["listen": .string(configuration.listen.description), "url": .string(here.issuer)])
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await BackgroundWork(here).run() }
      group.addTask { await opened.time.follow() }
      group.addTask { await control.serve(CommandRunner(here: here), on: commands) }
      await signals.stop()
      log.info("stopping")
      let isClean = await withTaskGroup(of: Bool.self) { group in
        for server in servers { group.addTask { await server.stop(within: Self.patience) } }
        return await group.reduce(true) { $0 && $1 }
      }
      if !isClean { log.warning("requests were cut because they took too long") }
      here.close()
      group.cancelAll()
    }
    try await opened.close()
    log.info("stopped")
    log.flush()
  }

  /// The server, and beside it the one that asks apps for their certificates.
  private func makeServers(_ here: Installation) -> [Server] {
    let app = App(
      here, external: configuration.external, pages: files.pages, look: files.look,
      published: configuration.published)
    var settings = ServerConfiguration(address: configuration.listen, tls: tls, logger: log)
    settings.trustedProxies = configuration.trustedProxies
    settings.certificateField = configuration.certificateHeader
    settings.limits.connections = configuration.maximumConnections
    settings.limits.sizes.streamedPath = app.proxyPath
    let base = configuration.external.basePath
    // The description of the API stands at its usual place.
    var answers = files.assets.answers(
      in: base + "/assets/", and: [base + "/openapi.json": "openapi.json"], finish: app.secured)
    answers.add(app.alive.response, at: app.alive.path)
    settings.staticAnswers = answers
    settings.refusalHandler = { request in await app.refusal(of: request) }
    let server = Server(configuration: settings) { request in await app.respond(to: request) }
    guard let address = configuration.certificateListen, let certificateTLS else { return [server] }
    (settings.address, settings.tls, settings.loopCount) = (address, certificateTLS, 1)
    return [server, Server(configuration: settings) { request in await app.respond(to: request) }]
  }

  /// Tells whoever started the program how to make the first administrator.
  ///
  /// The setup link goes to a terminal or a file that only we can read, never to a collected log.
  private func announce(_ here: Installation, hasAdministrator: Bool) async throws {
    let path = "\(configuration.dataDirectory)/setup-link"
    if hasAdministrator { return Files.remove(path) }
    let link = "\(here.issuer)/setup?ticket=\(try await SetUp(here).makeLink().revealedText)"
    try Files.replace(path, mode: 0o600, Secret(link + "\n"))
    let isWatched = Files.outputIsTerminal
    Process.print(
      isWatched
        ? "No administrator yet. Open this link within 30 minutes to make one:\n\n  \(link)\n"
        : "No administrator yet. The link to make one is in \(path), for 30 minutes.")
  }
}
