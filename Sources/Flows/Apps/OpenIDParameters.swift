import Crypto
import Domain
import JOSE
import JSON

/// The parameters of an authorization request that OpenID Connect adds, as sent (Core §3.1.2.1).
public struct OpenIDParameters: Sendable {
  public var nonce: String?
  public var maximumAge: String?
  public var loginHint: String?
  public var idTokenHint: String?
  public var claims: String?

  public init() {}

  /// Claims that can be asked for by name; whatever else is asked for is passed over (§5.5).
  static let claimNames: Set<String> = ["name", "preferred_username", "auth_time"]

  /// What they mean for a request of `client`.
  ///
  /// - Throws: `Refusal` for what is malformed, or asks for a way of signing in that is not there.
  func request(for client: Client, _ here: Installation) throws(Refusal) -> OpenIDRequest {
    var request = OpenIDRequest()
    if let nonce {
      guard nonce.utf8.count <= OpenIDRequest.maximumNonceBytes else {
        throw Refusal(.invalidRequest, "nonce is longer than \(OpenIDRequest.maximumNonceBytes) bytes.")
      }
      request.nonce = nonce
    }
    if let maximumAge {
      guard let seconds = Int64(maximumAge), (0...Int64(Int32.max)).contains(seconds) else {
        throw Refusal(.invalidRequest, "max_age is no number of seconds.")
      }
      request.maximumAge = seconds
    }
    // A hint is only that: one that cannot be a name is passed over.
    if let loginHint, loginHint.utf8.count <= 256, DisplayName.isPlain(loginHint) { request.loginHint = loginHint }
    if let idTokenHint {
      guard let hint = here.readIDToken(idTokenHint), hint.client == client.id else {
        throw Refusal(.invalidRequest, "id_token_hint is no ID token that this server issued to this client.")
      }
      request.expectedAccount = hint.account
    }
    try read(claims, into: &request)
    return request
  }

  private func read(_ text: String?, into request: inout OpenIDRequest) throws(Refusal) {
    guard let text else { return }
    let json: JSONValue
    do { json = try JSONValue(parsing: text) } catch {
      throw Refusal(.invalidRequest, "claims is no JSON.")
    }
    guard json.object != nil else { throw Refusal(.invalidRequest, "claims is no JSON object.") }
    request.idTokenClaims = Self.names(json["id_token"])
    request.userInfoClaims = Self.names(json["userinfo"])
    let wishes = json["id_token"]
    if let acr = wishes?["acr"], acr.bool("essential") == true, acr["value"] != nil || acr["values"] != nil {
      throw Refusal(.unmetAuthenticationRequirements, "No sign-in here has the acr that is asked for.")
    }
    guard let subject = wishes?["sub"]?.string("value") ?? json["userinfo"]?["sub"]?.string("value") else { return }
    guard let account = AccountID(subject), request.expectedAccount.map({ $0 == account }) ?? true else {
      throw Refusal(.loginRequired, "Nobody can sign in as the sub that is asked for.")
    }
    request.expectedAccount = account
  }

  private static func names(_ wishes: JSONValue?) -> [String] {
    (wishes?.object ?? []).map(\.name).filter(claimNames.contains)
  }
}
