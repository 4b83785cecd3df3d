public import HTTP
internal import Synchronization

/// A pretended ArcGIS portal with a federated server, and the switches that make it misbehave.
///
/// Answers requests without a socket; a server's handler passes them on:
/// ```
/// let simulator = UpstreamSimulator(SimulatorConfiguration())
/// let answer = await simulator.respond(to: request)
/// ```
/// The host decides what answers: `server.localhost` is the federated server, `stranger.localhost` a server of somebody
/// else's portal, `login.localhost` a Microsoft Entra directory, `apps.localhost` its App Proxy with the portal behind
/// it, every other host the portal, below whose `/server` the federated server stands as well.
public final class UpstreamSimulator: Sendable {
  private let world: Mutex<World>

  /// A portal in which nobody has signed in yet.
  public init(_ configuration: SimulatorConfiguration = SimulatorConfiguration()) {
    world = Mutex(World(configuration))
  }

  /// Answers one request.
  ///
  /// Refusals are answers as well, most of them with status 200, as ArcGIS has it. A body that throws cuts the
  /// connection on purpose.
  public func respond(to request: Request) async -> Response {
    if let control = ControlEndpoint(rawValue: request.path) {
      return world.withLock { $0.control(control, request) }
    }
    if request.path == Page.stylesheetPath { return Page.stylesheet }
    let turn: Turn
    do {
      turn = try world.withLock { world throws(FormFailure) in try world.take(request) }
    } catch {
      return .json(
        PortalError(code: 400, message: "Invalid parameters.", details: [error.description]).json, status: .badRequest)
    }
    guard let fault = turn.fault else { return turn.answer }
    return await fault.spoil(turn.answer)
  }
}

/// One call, carried out.
struct Turn: Sendable {
  let answer: Response
  /// What is to be done to the answer.
  var fault: Fault?
}

/// Everything that changes: the portal, the directory, and the switches.
struct World: Sendable {
  var portal: Portal
  var directory: Directory
  var counters = Counters()
  var faults = FaultList()
  /// Milliseconds by which the simulator's time is ahead of the system's.
  var clockAdvance: Int64 = 0

  init(_ configuration: SimulatorConfiguration) {
    portal = Portal(configuration)
    directory = Directory(configuration)
  }

  var now: Moment { Moment(milliseconds: Moment.systemTime().milliseconds + clockAdvance) }

  /// Counts a call, and carries it out unless a fault forbids.
  ///
  /// - Throws: ``FormFailure`` for a malformed query or form.
  mutating func take(_ request: Request) throws(FormFailure) -> Turn {
    let call = try Call(request, at: now, published: portal.configuration.published)
    return call.host.isProxy ? pass(call) : carryOut(call)
  }

  /// What App Proxy does with a call: a fault, a refusal, or what the app behind it answers.
  private mutating func pass(_ call: Call) -> Turn {
    let names = Endpoint.appProxy.names(call)
    counters.count(names)
    let fault = faults.take(names)
    if let answer = fault?.answer(to: call, at: .appProxy) { return Turn(answer: answer) }
    if let refusal = directory.intercept(call) { return Turn(answer: refusal, fault: fault) }
    let turn = carryOut(call.passedOn())
    return fault == nil ? turn : Turn(answer: turn.answer, fault: fault)
  }

  private mutating func carryOut(_ call: Call) -> Turn {
    guard let route = Route(path: call.request.path, host: call.host) else {
      return Turn(
        answer: .page(
          Page(title: "Not found", content: "<p>The simulator has nothing here. <a href=\"/\">Start page</a></p>"),
          status: .notFound))
    }
    let names = route.endpoint.names(call)
    counters.count(names)
    let fault = faults.take(names)
    if let answer = fault?.answer(to: call, at: route.endpoint) { return Turn(answer: answer) }
    let answer = call.host.isLogin ? directory.answer(call, at: route) : portal.answer(call, at: route)
    return Turn(answer: answer, fault: fault)
  }
}
