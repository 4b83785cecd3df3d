internal import HTTP
internal import HTTPClient

/// Tells client apps something at the address that was registered for it.
public struct ClientNotice: Sendable {
  let client: OutboundClient

  /// What became of it.
  public enum Outcome: Sendable, Equatable {
    case told
    /// The app understood and refused: telling it again leads nowhere.
    case refused
    /// Why it may work later.
    case failed(String)
  }

  /// Posts a logout token (OpenID Connect Back-Channel Logout §2.5); answers after five seconds at the latest.
  public func logout(_ token: String, to url: String) async -> Outcome {
    guard let target = try? OutboundURL(url) else { return .refused }
    var request = OutboundRequest(
      .post, url, headers: ["content-type": "application/x-www-form-urlencoded", "user-agent": "Gatehouse"],
      body: QueryItems(dictionaryLiteral: ("logout_token", token)).body, reach: ClientAddress.reach(of: target))
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

/// Where the addresses of a client app may lead.
enum ClientAddress {
  /// An administrator named the address, so that its port is open; private networks stay closed, and this machine is
  /// reached by the names that only mean itself.
  static func reach(of url: OutboundURL) -> Reach {
    let isLocal = url.host == "localhost" || url.host.hasSuffix(".localhost") || url.address?.isLoopback == true
    // Declaring an address would open it whatever it is.
    guard isLocal || url.address == nil else { return .publicHTTPS }
    return Reach(
      endpoints: [Reach.Endpoint(host: url.host, port: url.port)],
      networks: isLocal ? ["127.0.0.0/8", "::1/128"].compactMap { AddressRange($0) } : [], allowsHTTP: isLocal)
  }
}
