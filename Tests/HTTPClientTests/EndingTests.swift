import HTTP
import Testing

@testable import HTTPClient

@Suite("Cancelling and closing", .timeLimit(.minutes(1)))
struct EndingTests {
  @Test("A cancelled caller still gets the answer of a request that may not be cancelled")
  func notCancellable() async throws {
    let client = try OutboundClient()
    let gate = try Gate()
    let server = gate.server
    let task = Task { await outcome(client, server.request(post: "a=1")) }
    try await eventually { server.seen.requests.count == 1 }
    task.cancel()
    gate.open()
    #expect(await task.value == .answer(200))
  }

  @Test("A cancelled caller of a cancellable request is told that it was sent")
  func cancellable() async throws {
    let client = try OutboundClient()
    let server = try WireServer { wire in wire.linger() }
    let task = Task {
      var request = server.request(post: "a=1")
      request.cancellable = true
      return await outcome(client, request)
    }
    try await eventually { server.seen.requests.count == 1 }
    task.cancel()
    #expect(await task.value == .incomplete(.cancelled))
  }

  @Test("A caller cancelled before the request had a place is told that nothing was sent")
  func cancelledWaiting() async throws {
    var settings = OutboundSettings()
    settings.perOrigin = 1
    let client = try OutboundClient(settings)
    let gate = try Gate()
    let first = Task { await outcome(client, gate.server.request()) }
    try await eventually { gate.server.seen.requests.count == 1 }
    let second = Task {
      var request = gate.server.request()
      request.cancellable = true
      return await outcome(client, request)
    }
    second.cancel()
    #expect(await second.value == .notSent(.cancelled))
    gate.open()
    #expect(await first.value == .answer(200))
    #expect(gate.server.seen.requests.count == 1)
  }

  @Test("More requests than may wait fail at once; one that waits too long was not sent")
  func overload() async throws {
    var settings = OutboundSettings()
    settings.perOrigin = 1
    settings.waiting = 1
    let client = try OutboundClient(settings)
    let gate = try Gate()
    let first = Task { await outcome(client, gate.server.request()) }
    try await eventually { gate.server.seen.requests.count == 1 }
    let others = await withTaskGroup(of: Outcome.self) { group in
      for _ in 0..<2 {
        group.addTask {
          var request = gate.server.request()
          request.limits.total = .milliseconds(200)
          return await outcome(client, request)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(others == [.notSent(.overloaded), .notSent(.timeout)])
    gate.open()
    #expect(await first.value == .answer(200))
    #expect(gate.server.seen.requests.count == 1)
  }

  @Test("One host's crowd does not keep others waiting")
  func fairness() async throws {
    var settings = OutboundSettings()
    settings.perOrigin = 1
    let client = try OutboundClient(settings)
    let gate = try Gate()
    let crowd = (0..<3).map { _ in Task { await outcome(client, gate.server.request()) } }
    try await eventually { gate.server.seen.requests.count == 1 }
    let other = try WireServer { wire in while wire.request() != nil { wire.answer("") } }
    #expect(await outcome(client, other.request()) == .answer(200))
    gate.open()
    for task in crowd { #expect(await task.value == .answer(200)) }
  }

  @Test("Closing waits for what is under way, and takes nothing more")
  func closeWaits() async throws {
    let client = try OutboundClient()
    let gate = try Gate()
    let server = gate.server
    let task = Task { await outcome(client, server.request(post: "a=1")) }
    try await eventually { server.seen.requests.count == 1 }
    let closing = Task { await client.close(within: .seconds(30)) }
    var request = server.request()
    request.limits.total = .milliseconds(20)
    // Until the closing task has run, requests are still taken and end for want of time.
    while await outcome(client, request) != .notSent(.closed) {}
    gate.open()
    #expect(await task.value == .answer(200))
    await closing.value
    await client.close(within: .zero)
  }

  @Test("Closing ends what has not ended in time, and says that it was sent")
  func closeEnds() async throws {
    let client = try OutboundClient()
    let server = try WireServer { wire in wire.linger() }
    let task = Task { await outcome(client, server.request(post: "a=1")) }
    try await eventually { server.seen.requests.count == 1 }
    await client.close(within: .milliseconds(50))
    #expect(await task.value == .incomplete(.closed))
  }
}

/// A server that answers nobody until it is opened.
private struct Gate {
  let server: WireServer
  private let isOpen: Flag

  init() throws {
    let flag = Flag()
    isOpen = flag
    server = try WireServer { wire in
      while wire.request() != nil {
        flag.wait()
        wire.answer("")
      }
    }
  }

  func open() { isOpen.raise() }
}
