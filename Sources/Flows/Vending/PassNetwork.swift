import Domain
import HTTP
import Logging
import Storage
import Upstream

extension ForwardRequest {
  /// Sends `request` through the network in front of a service, with what the person holds for that.
  ///
  /// Refused with 401, it is shown once more at its connection's own address. What is taken there is right and only not
  /// for this URL; what is not is never presented again: the person has to enter another one.
  func send(
    _ request: Request, to url: ResourceURL, _ headers: [(name: String, value: Secret)], through pass: NetworkPass,
    _ held: VendToken.Held, _ connection: Connection, at taken: ProxyPlaces.Place
  ) async throws -> Answer {
    // A certificate is judged in the handshake: an answer of 401 asks for something else.
    guard held.target.connection.kind != .certificate else {
      return try await sendOnce(request, to: url, headers, through: pass, held, connection, at: taken)
    }
    let (credential, trials) = (held.credential, here.loginTrials)
    switch await trials.begin(credential) {
    case .present: break
    case .refused: throw held.target.reauthRequired
    case .later(let seconds): throw Self.doubtful(seconds)
    }
    let sentAt = ContinuousClock.now
    let refusal: Answer?
    do {
      let answer = try await sendOnce(request, to: url, headers, through: pass, held, connection, at: taken)
      guard answer.status == .unauthorized else {
        trials.end(credential, .accepted)
        return answer
      }
      refusal = answer
    } catch is StoredSecretRefused {
      // A key distribution centre has judged it before the server could.
      refusal = nil
    } catch {
      trials.end(credential, .unknown)
      throw error
    }
    let isFinal = refusal == nil || (request.method.isReading && pass.isProved(at: url))
    let verdict = isFinal ? .refused : await here.judge(credential, pass, sentAt: sentAt)
    trials.end(credential, verdict)
    if verdict != .refused, let refusal { return refusal }
    try await forget(credential)
    throw held.target.reauthRequired
  }

  private static func doubtful(_ seconds: Int64) -> Refusal {
    Refusal(
      .temporarilyUnavailable,
      "The upstream refused the stored sign-in at one URL, and does not say at its own address whether it is right. It is "
        + "not presented until then, so that no account is locked.", retryAfter: seconds)
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
    let now = here.clock.now()
    let failed = here.recording(
      AuditEvent(
        .upstreamRefreshFailed, .failure, at: now, origin: .system, account: credential.account,
        connection: credential.connection, detail: "the stored sign-in is refused"))
    try await here.store.write { tx in
      if try tx.markReauthRequired(credential.id, generation: credential.generation) {
        try failed(tx)
        try here.tellBroken(credential, tx, at: now)
      }
    }
  }
}

extension Installation {
  /// What a network says of a credential at its connection's own address, after it was refused at another URL.
  func judge(
    _ credential: Credential, _ pass: NetworkPass, sentAt: ContinuousClock.Instant
  ) async -> LoginTrials.Verdict {
    await loginTrials.judge(credential, sentAt: sentAt) {
      do throws(UpstreamFailure) {
        try await pass.prove()
        return .accepted
      } catch {
        log.warning(
          "a stored sign-in is doubtful",
          ["connection": .string(credential.connection.text), "why": .string(error.text)])
        if case .refused = error { return .refused }
        return .doubtful
      }
    }
  }
}

extension Method {
  fileprivate var isReading: Bool { self == .get || self == .head }
}

struct StoredSecretRefused: Error {}
