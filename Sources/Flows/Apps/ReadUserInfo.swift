public import Domain
import JSON
import Storage

/// Tells an app about the person who signed in to it (OpenID Connect Core §5.3).
public struct ReadUserInfo: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What is told, in order; `sub` stands first.
  public typealias Claims = [(name: String, value: String)]

  public enum Answer: Sendable {
    case claims(Claims)
    /// The same as a JWT, for a client that was registered for that (§5.3.2).
    case signed(Secret)
  }

  /// - Throws: `Refusal` `insufficient_scope` for a token without `openid`, `invalid_token` for one that has ended.
  public func callAsFunction(_ token: AccessTokenClaims) async throws -> Answer {
    guard token.scope.contains(Scope.openID), token.account != nil else {
      throw Refusal(.insufficientScope, "The access token lacks the scope openid.")
    }
    guard let client = try await here.liveClient(token.client),
      case .live(let holder?) = try await here.knownTokenHolders.standing(of: token, in: here.store)
    else { throw Refusal.endedToken }
    let (account, asked) = (holder.account, holder.openID)
    let ofScope = token.scope.contains(Scope.profile) ? Account.profileClaims : []
    let names = ofScope + asked.userInfoClaims.filter { !ofScope.contains($0) }
    let claims = [("sub", account.id.text)] + account.claims(named: names)
    guard client.options.signsUserInfo else { return .claims(claims) }
    let signed = JSONWriter.object { json in
      json.member("iss", here.issuer)
      json.member("aud", client.id.text)
      for (name, value) in claims { json.member(name, value) }
    }
    return .signed(try await here.sign(signed, type: "JWT", for: client))
  }
}
