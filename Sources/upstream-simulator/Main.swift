import Dispatch
import Glibc
import HTTPServer
import Logging
import Simulator
import TLS

/// The program `upstream-simulator`: reads its command line, serves, and stops at SIGTERM or SIGINT.
@main
struct Main {
  /// What `sysexits.h` calls a wrong command line.
  private static let usageStatus: Int32 = 64

  static func main() async {
    do throws(UsageFailure) {
      let options = try SimulatorOptions(Array(CommandLine.arguments.dropFirst()))
      if options.wantsHelp { print(SimulatorOptions.usage) } else { await run(options) }
    } catch {
      complain(error.description)
      exit(usageStatus)
    }
  }

  private static func run(_ options: SimulatorOptions) async {
    // Signals are taken before anything can be asked to stop.
    let stops = stopSignals()
    do {
      let server = try makeServer(options)
      try server.start()
      print(options.greeting(port: server.port))
      fflush(nil)
      for await _ in stops.stream { break }
      await server.stop(within: .seconds(5))
      stops.sources.forEach { $0.cancel() }
    } catch ServerFailure.listen(let text) {
      complain("\(text); choose another with --listen")
      exit(1)
    } catch ServerFailure.configuration(let text) {
      complain(text)
      exit(usageStatus)
    } catch {
      complain(String(describing: error))
      exit(1)
    }
  }

  private static func makeServer(_ options: SimulatorOptions) throws -> Server {
    var tls: TLSContext?
    if let chain = options.tlsCertificate, let key = options.tlsKey {
      tls = try TLSContext(files: CertificateFiles(chain: chain, key: key))
    }
    let simulator = UpstreamSimulator(options.configuration)
    let configuration = ServerConfiguration(
      address: try ListenAddress(options.listen), tls: tls, logger: Logger(level: .error))
    return Server(configuration: configuration) { await simulator.respond(to: $0) }
  }

  /// What yields when the program is asked to stop; the sources must be kept alive as long.
  private static func stopSignals() -> (stream: AsyncStream<Void>, sources: [any DispatchSourceSignal]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
    return (stream, sources)
  }

  private static func complain(_ text: String) {
    let line = Array("upstream-simulator: \(text)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
  }
}
