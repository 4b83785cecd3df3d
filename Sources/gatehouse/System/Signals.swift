import Dispatch
import Glibc

/// The signals that ask the process to stop, from the moment this is made.
struct Signals {
  private let arrivals: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  init() {
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    self.arrivals = arrivals
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { arrival.yield() }
      source.resume()
      return source
    }
  }

  /// Suspends until `SIGTERM` or `SIGINT` comes, or has come already.
  func stop() async {
    for await _ in arrivals { break }
    for source in sources { source.cancel() }
  }
}
