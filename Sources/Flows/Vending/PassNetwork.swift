import Domain
import HTTP
import Logging
import Storage
import Upstream

extension ForwardRequest {
  /// Sends `request` through the network in front of a service, with what the person holds for that.
  ///
  /// Refused once, it is not presented again: the person has to enter another one.
  func send(
    _ request: Request, to url: ResourceURL, _ headers: [(name: String, value: Secret)], through pass: NetworkPass,
    _ held: VendToken.Held, _ connection: Connection, at taken: ProxyPlaces.Place
  ) async throws -> Answer {
    // A certificate is judged in the handshake: an answer of 401 asks for something else.
    guard held.target.connection.kind != .certificate else {
      return try await sendOnce(request, to: url, headers, through: pass, held, connection, at: taken)
    }
    guard await here.loginTrials.begin(held.credential) else { throw held.target.reauthRequired }
    do {
      let answer = try await sendOnce(request, to: url, headers, through: pass, held, connection, at: taken)
      guard answer.status == .unauthorized else {
        here.loginTrials.end(held.credential, .accepted)
        return answer
      }
    } catch is StoredSecretRefused {
      // A key distribution centre has judged it before the server could.
    } catch {
      here.loginTrials.end(held.credential, .unknown)
      throw error
    }
    here.loginTrials.end(held.credential, .refused)
    try await forget(held.credential)
    throw held.target.reauthRequired
  }

  func sendOnce(
    _ request: Request, to url: ResourceURL, _ headers: [(name: String, value: Secret)], through pass: NetworkPass,
    _ held: VendToken.Held, _ connection: Connection, at taken: ProxyPlaces.Place
  ) async throws -> Answer {
    var passage: Passage
    do {
      passage = try await pass.passage(to: url.text) ?? Passage(headers: [])
    } catch .refused(let text) where held.target.connection.kind != .certificate {
      here.log.warning(
        "a stored sign-in is refused", ["connection": .string(held.target.connection.id.text), "why": .string(text)])
      throw StoredSecretRefused()
    } catch { throw error.proxyRefusal }
    passage.headers += headers
    return try await send(request, to: url, with: passage, for: connection, at: taken)
  }

  /// Never shows the credential again, which the network has refused.
  func forget(_ credential: Credential) async throws {
    here.upstreams.closeConnections(of: credential.id)
    let failed = here.recording(
      AuditEvent(
        .upstreamRefreshFailed, .failure, at: here.clock.now(), origin: .system, account: credential.account,
        connection: credential.connection, detail: "the stored sign-in is refused"))
    try await here.store.write { tx in
      if try tx.markReauthRequired(credential.id, generation: credential.generation) { try failed(tx) }
    }
  }
}

struct StoredSecretRefused: Error {}
