import Domain
import Flows
import HTTP
import JSON

/// How a vended token looks on the wire, by one GET and by token exchange alike.
enum VendAnswer {
  static let tokenType = "urn:gatehouse:params:oauth:token-type:upstream-access-token"

  static func response(_ vended: Vended, _ here: Installation) -> Response {
    switch vended {
    case .token(let token): response(token, here)
    case .proxy(let referral): response(referral, here)
    }
  }

  /// Names the way by the proxy, and no secret.
  private static func response(_ referral: ProxyReferral, _ here: Installation) -> Response {
    .json(
      .ok,
      JSONWriter.object { json in
        json.member("connection", referral.connection.text)
        json.member("resource_matched", referral.matched)
        write(referral, to: &json, here)
      })
  }

  private static func write(_ referral: ProxyReferral, to json: inout JSONWriter, _ here: Installation) {
    json.member("proxy_url", here.issuer + referral.path)
    json.member("proxy_reason", referral.reason.rawValue)
  }

  private static func response(_ vended: VendedToken, _ here: Installation) -> Response {
    let now = here.clock.now()
    var json = JSONWriter(capacity: 900)
    json.object { json in
      json.member("access_token", vended.token.revealedText)
      json.member("issued_token_type", tokenType)
      json.member("token_type", "Bearer")
      if !vended.expiresAt.isNever { json.member("expires_in", max(vended.expiresAt - now, 0)) }
      json.member("refresh_after", max(vended.refreshAt - now, 0))
      json.member("resource_matched", vended.matched)
      json.member("connection", vended.connection.text)
      json.member("referer", ifPresent: vended.referer)
      if let referral = vended.proxy { write(referral, to: &json, here) }
      json.array("headers") { json in
        for header in vended.headers {
          json.object { json in
            json.member("name", header.name)
            json.member("value", header.value.revealedText)
          }
        }
      }
    }
    return .json(.ok, json.bytes)
  }
}

extension ErrorAnswers {
  /// A refusal for the app that holds `subject`, with the page for its person where one helps.
  func json(_ refusal: Refusal, _ call: Call, subject: VendCaller) -> Response {
    guard let account = subject.account else { return json(refusal, call) }
    return json(refusal, call, account: account, client: subject.client)
  }
}
