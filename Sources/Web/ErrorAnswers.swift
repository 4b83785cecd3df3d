import Domain
import Flows
import HTTP
import JSON
import Logging
import SQL

/// How refusals and faults look on the wire, for apps.
struct ErrorAnswers: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  /// The JSON form of an OAuth error (RFC 6749 §5.2).
  func json(_ refusal: Refusal, _ call: Call) -> Response {
    dressed(.json(refusal.status, body(refusal)), refusal, call)
  }

  func body(_ refusal: Refusal) -> [UInt8] {
    JSONWriter.object { json in
      json.member("error", refusal.code.rawValue)
      json.member("error_description", refusal.wireDescription)
      if let interaction = refusal.interaction { json.member("reason", interaction.reason.rawValue) }
    }
  }

  /// The same with the page where the person can mend it, for a caller whose person is known.
  func json(_ refusal: Refusal, _ call: Call, account: AccountID, client: ClientID) -> Response {
    guard let interaction = refusal.interaction else { return json(refusal, call) }
    let body = JSONWriter.object { json in
      json.member("error", refusal.code.rawValue)
      json.member("error_description", refusal.wireDescription)
      json.member("reason", interaction.reason.rawValue)
      json.member("interaction_uri", here.interactionURI(interaction, account: account, client: client))
    }
    return dressed(.json(refusal.status, body), refusal, call)
  }

  /// Writes down that an access token which we signed, and which has not expired, was refused: its client is known.
  func recordToken(refusedWith refusal: Refusal, _ call: Call) async {
    guard refusal.code == .invalidToken || refusal.code == .insufficientScope,
      let field = AuthorizationField(call.request.headers), ["bearer", "dpop"].contains(field.scheme),
      let claims = here.verify(field.credential, at: here.clock.now())
    else { return }
    do {
      try await here.recordRefusal(of: claims, refusal, call.visitor)
    } catch {
      here.log.error(
        "a refused token was not written down",
        ["request": .string(call.requestID), "error": .string(String(describing: error))])
    }
  }

  private func dressed(_ response: Response, _ refusal: Refusal, _ call: Call) -> Response {
    call.log(refusal, here.log)
    var response = response
    if let seconds = refusal.retryAfter { response.headers.set("retry-after", FieldValue(seconds)) }
    switch refusal.code {
    case .invalidClient where call.request.headers["authorization"] != nil:
      // RFC 6749 §5.2: whoever tried the header is told by the header.
      response.status = .unauthorized
      response.headers.set("www-authenticate", "Basic realm=\"gatehouse\", charset=\"UTF-8\"")
    case .invalidDPoPProof, .useDPoPNonce:
      if refusal.code == .useDPoPNonce, let nonce = FieldValue(here.dpopNonce) {
        response.headers.set("dpop-nonce", nonce)
      }
      // Where a token is asked for, the proof is a part of the request (RFC 9449 §5); where one is presented, of its
      // authentication (§7.1).
      guard presentsByDPoP(call) else { break }
      response.status = .unauthorized
      response.headers.set("www-authenticate", Self.dpopChallenge(refusal.code))
    case .invalidToken where presentsByDPoP(call):
      response.headers.set("www-authenticate", Self.dpopChallenge(.invalidToken))
    case .invalidToken:
      response.headers.set("www-authenticate", "Bearer realm=\"gatehouse\", error=\"invalid_token\"")
    case .insufficientScope:
      response.headers.set("www-authenticate", "Bearer realm=\"gatehouse\", error=\"insufficient_scope\"")
    default: break
    }
    return response
  }
}

extension ErrorAnswers {
  private func presentsByDPoP(_ call: Call) -> Bool { AuthorizationField(call.request.headers)?.scheme == "dpop" }

  /// What asks for a token that is bound to a key (RFC 9449 §7.1).
  static func dpopChallenge(_ code: Refusal.Code?) -> FieldValue {
    switch code {
    case .invalidDPoPProof: "DPoP realm=\"gatehouse\", error=\"invalid_dpop_proof\", algs=\"ES256 PS256 EdDSA RS256\""
    case .useDPoPNonce: "DPoP realm=\"gatehouse\", error=\"use_dpop_nonce\", algs=\"ES256 PS256 EdDSA RS256\""
    case .invalidToken: "DPoP realm=\"gatehouse\", error=\"invalid_token\", algs=\"ES256 PS256 EdDSA RS256\""
    default: "DPoP realm=\"gatehouse\", algs=\"ES256 PS256 EdDSA RS256\""
    }
  }
}

extension Refusal {
  /// The HTTP status that carries the refusal.
  var status: Status {
    switch code {
    case .invalidToken, .loginRequired: .unauthorized
    case .insufficientScope, .referrerNotAllowed, .networkNotAllowed: .forbidden
    case .notFound: .notFound
    // Without a time to wait it is said to a device that asks too often (RFC 8628 §3.5).
    case .slowDown: retryAfter == nil ? .badRequest : 429
    case .serverError: .internalServerError
    case .upstreamError: .badGateway
    case .temporarilyUnavailable: .serviceUnavailable
    default: .badRequest
    }
  }

  /// What a fault is for the one who asked: nothing but that it is ours; a busy database is worth another try.
  init(fault: any Error) {
    switch fault as? DatabaseError {
    case .busy, .full, .away:
      self.init(.temporarilyUnavailable, "Gatehouse cannot store anything at the moment.", retryAfter: 2)
    default: self.init(.serverError, "Something failed on our side. The log has the details under the request id.")
    }
  }
}
