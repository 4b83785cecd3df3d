import Dispatch
import Glibc

/// Waits for the signals that ask the process to stop.
enum Signals {
  /// Suspends until `SIGTERM` or `SIGINT` comes.
  static func stop() async {
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    let sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { arrival.yield() }
      source.resume()
      return source
    }
    for await _ in arrivals { break }
    for source in sources { source.cancel() }
  }
}
