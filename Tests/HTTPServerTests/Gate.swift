/// Holds back those who pass until it is opened.
final class Gate: Sendable {
  private let stream: AsyncStream<Void>
  private let source: AsyncStream<Void>.Continuation

  init() { (stream, source) = AsyncStream.makeStream(of: Void.self) }

  func pass() async { for await _ in stream { return } }

  func open() { source.finish() }
}
