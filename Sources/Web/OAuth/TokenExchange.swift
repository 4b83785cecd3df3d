import Domain
import Flows
import HTTP

/// Exchanges one of our access tokens, or what an unattended job of the client signed, for what the person's credential
/// gives at a URL (RFC 8693).
struct TokenExchange: Sendable {
  /// Parameters that may stand more than once (RFC 8693 §2.1); more than one target is refused by name all the same.
  static let repeatable: Set<String> = ["resource", "audience"]
  private static let accessToken = "urn:ietf:params:oauth:token-type:access_token"
  /// What an unattended job signed.
  private static let signedRequest = "urn:ietf:params:oauth:token-type:jwt"

  private let here: Installation
  private let errors: ErrorAnswers

  init(_ here: Installation) {
    self.here = here
    errors = ErrorAnswers(here)
  }

  func answer(_ posted: ClientForm, _ binding: TokenBinding?, _ call: Call) async throws -> Response {
    if let refusal = posted.client.refusal(using: .tokenExchange) { throw refusal }
    try Self.checkWishes(posted.form)
    if posted.form.nonEmpty("subject_token_type") == Self.signedRequest, posted.client.options.unattendedKeys != nil {
      return try await answerUnattended(posted, call)
    }
    let subject = try subject(posted, binding)
    let target = try VendTarget(posted.form)
    let request = VendRequest(
      client: posted.client.id, account: subject.account, resource: target.resource,
      minimumLifetime: target.minimumLifetime, audience: posted.form.nonEmpty("audience"))
    do {
      let vended = try await VendToken(here)(request, with: subject, call.visitor)
      return VendAnswer.response(vended, here)
    } catch let refusal as Refusal where refusal.code == .invalidToken {
      throw Self.noSubject
    } catch let refusal as Refusal {
      return errors.json(refusal, call, subject: .token(subject))
    }
  }

  /// For a job that runs while the person is not there.
  private func answerUnattended(_ posted: ClientForm, _ call: Call) async throws -> Response {
    let target = try VendTarget(posted.form)
    let asked = VendUnattended.Asked(
      token: try posted.required("subject_token"), resource: target.resource,
      minimumLifetime: target.minimumLifetime, audience: posted.form.nonEmpty("audience"))
    let request = try await VendUnattended(here).request(asked, from: posted.client, call.visitor)
    do {
      return VendAnswer.response(try await VendToken(here)(request, with: nil, call.visitor), here)
    } catch let refusal as Refusal {
      guard let account = request.account else { throw refusal }
      return errors.json(refusal, call, account: account, client: posted.client.id)
    }
  }

  private static func checkWishes(_ form: Form) throws(Refusal) {
    if form.nonEmpty("actor_token") != nil || form.nonEmpty("actor_token_type") != nil {
      throw Refusal(.invalidRequest, "actor_token is not supported.")
    }
    if form.isRepeated("audience") { throw Refusal(.invalidTarget, "Name one audience at most.") }
    if let type = form.nonEmpty("requested_token_type"), type != VendAnswer.tokenType {
      throw Refusal(.invalidRequest, "The only requested_token_type is \(VendAnswer.tokenType).")
    }
    if form.nonEmpty("scope") != nil {
      throw Refusal(.invalidScope, "Upstream tokens cannot be narrowed; leave scope out.")
    }
  }

  private static var noSubject: Refusal {
    Refusal(.invalidRequest, "subject_token is no live access token of this server.")
  }

  /// The claims of the subject token: ours, given to this very client, and for vending (reference: TV-11, TV-15).
  private func subject(_ posted: ClientForm, _ binding: TokenBinding?) throws -> AccessTokenClaims {
    guard try posted.required("subject_token_type") == Self.accessToken else {
      throw Refusal(.invalidRequest, "The only subject_token_type is \(Self.accessToken).")
    }
    let token = try posted.required("subject_token")
    guard let claims = here.verify(token, at: here.clock.now()) else { throw Self.noSubject }
    guard claims.client == posted.client.id else {
      throw Refusal(.invalidRequest, "subject_token was issued to another client.")
    }
    guard claims.binding == nil || claims.binding == binding else {
      throw Refusal(.invalidRequest, "subject_token is bound to a key: send a proof that you hold it.")
    }
    guard claims.vends else { throw Refusal(.invalidRequest, "subject_token lacks the scope vend.") }
    return claims
  }
}
