internal import HTTP
internal import HTTPClient

/// Tells client apps something at the address that was registered for it.
public struct ClientNotice: Sendable {
  let client: OutboundClient
  let reach: ClientReach

  /// What became of it.
  public enum Outcome: Sendable, Equatable {
    case told
    /// The app understood and refused: telling it again leads nowhere.
    case refused
    /// Why it may work later.
    case failed(String)
  }

  /// Posts a logout token (OpenID Connect Back-Channel Logout §2.5); answers after five seconds at the latest.
  public func logout(_ token: String, to address: ClientAddress) async -> Outcome {
    guard let target = try? OutboundURL(address.url) else { return .refused }
    var request = OutboundRequest(
      .post, address.url, headers: ["content-type": "application/x-www-form-urlencoded", "user-agent": "Gatehouse"],
      body: QueryItems(dictionaryLiteral: ("logout_token", token)).body, reach: reach.reach(of: target, for: address))
    request.limits = OutboundLimits(total: .seconds(5), body: 64 * 1024)
    do {
      let answer = try await client.send(request)
      switch answer.status.code {
      case 200, 204: return .told
      case 400: return .refused
      default: return .failed("It answers \(answer.status.code).")
      }
    } catch { return .failed("It cannot be reached: \(error)") }
  }
}
