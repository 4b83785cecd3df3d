internal import HTTP
internal import HTTPClient

/// One message as Standard Webhooks 1.0 sends it, signed.
public struct WebhookMessage: Sendable {
  let id: String
  let timestamp: Int64
  let body: String
  /// `v1,` and the MAC in base64.
  let signature: String

  public init(id: String, timestamp: Int64, body: String, signature: String) {
    self.id = id
    self.timestamp = timestamp
    self.body = body
    self.signature = signature
  }
}

extension ClientNotice {
  /// Whether an address can be a webhook's: https, or http on this machine.
  public func isWebhookAddress(_ url: String) -> Bool {
    guard url.utf8.count <= 2048, let target = try? OutboundURL(url) else { return false }
    return url.hasPrefix("https://") || reach.reach(of: target, for: ClientAddress(url, isTrusted: true)).allowsHTTP
  }

  /// Posts a message, follows no redirect, and answers after ten seconds at the latest; an administrator answers for the
  /// address.
  ///
  /// - Returns: Whether it was taken, and the status or why there was none.
  public func send(_ message: WebhookMessage, to url: String) async -> (isTaken: Bool, answer: String) {
    guard let target = try? OutboundURL(url), let id = FieldValue(message.id),
      let signature = FieldValue(message.signature)
    else { return (false, "Its address is none.") }
    var headers: Headers = ["content-type": "application/json", "user-agent": "Gatehouse"]
    headers.set("webhook-id", id)
    headers.set("webhook-timestamp", FieldValue(message.timestamp))
    headers.set("webhook-signature", signature)
    var request = OutboundRequest(
      .post, url, headers: headers, body: Array(message.body.utf8),
      reach: reach.reach(of: target, for: ClientAddress(url, isTrusted: true)))
    request.limits = OutboundLimits(total: .seconds(10), body: 64 * 1024)
    do {
      let code = try await client.send(request).status.code
      return ((200...299).contains(code), "\(code)")
    } catch {
      switch error {
      case .notSent(let cause): return (false, "It cannot be reached: \(cause)")
      case .incomplete(let cause): return (false, "It did not finish its answer: \(cause)")
      case .refusedByPolicy, .tooLarge: return (false, "It cannot be reached: \(error)")
      }
    }
  }
}
