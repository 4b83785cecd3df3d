internal import Domain
internal import JSON

/// Reads what Entra's token endpoint answers, and says of an error what an administrator can do.
///
/// What follows from an error depends on its name alone; numbers may change, so they only add a sentence.
enum EntraAnswer {
  static func object(
    status: Int, body: [UInt8], retryAfter: Int64?, host: String
  ) throws(UpstreamFailure) -> JSONValue {
    do {
      return try ProviderAnswer.object(status: status, body: body, retryAfter: retryAfter, host: host)
    } catch {
      throw explained(error, body, host)
    }
  }

  private static func explained(_ failure: UpstreamFailure, _ body: [UInt8], _ host: String) -> UpstreamFailure {
    let json: JSONValue
    do { json = try JSONValue(parsing: body) } catch { return failure }
    guard let name = json.string("error"), let number = json.array("error_codes")?.first?.integer else {
      return failure
    }
    var text = "\(host) answered \(LogText.clean(name)), AADSTS\(number)"
    if let explanation = explanations[number] { text += ": \(explanation)" }
    if let id = json.string("correlation_id"), IAPOptions.isTenantID(id.lowercased()) {
      text += " (correlation id \(id.lowercased()))"
    }
    return switch failure {
    case .refused: .refused(text)
    case .misconfigured: .misconfigured(text)
    case .transient(_, let retryAfter, let circumstance): .transient(text, retryAfter: retryAfter, circumstance)
    case .ambiguous: .ambiguous(text)
    case .invalidAnswer: .invalidAnswer(text)
    }
  }

  private static let explanations: [Int64: String] = [
    16000: "the browser has several sessions; the person has to choose one",
    50011: "the redirect URI is not registered with the app",
    50020: "the person is not in the tenant", 50058: "the browser has no session there",
    50076: "a second factor is needed", 50079: "the person has to register a second factor",
    50089: "the sign-in took too long", 50105: "the person is not assigned to the app",
    50126: "the name or the password was wrong", 50147: "the code challenge has the wrong length",
    50173: "the password was changed or the sign-in revoked", 50196: "the same request was made in a loop",
    53003: "a conditional access policy forbids it", 54005: "the code was used before",
    65001: "nobody has consented to the app yet", 65004: "the person declined to consent",
    70000: "the refresh token or code is not valid", 70008: "the refresh token or code has expired",
    70043: "the sign-in frequency policy demands a new sign-in", 700016: "the app is not known in the tenant",
    700025: "the app is registered as public, so it must not have a client secret",
    700082: "the refresh token was not used for too long",
    700084: "the app is registered as a single-page app, whose sign-ins end after a day: register it as Web",
    501481: "the code verifier does not fit",
    9_002_327: "the app is registered as a single-page app: register it as Web",
    7_000_215: "the client secret is wrong", 7_000_218: "the app needs a client secret",
    7_000_222: "the client secret has expired",
  ]
}
