import Domain
import JSON
import SQL

/// What an app asked about the person, as one JSON object in the column `openid` of requests, codes and families.
extension OpenIDRequest {
  var text: String {
    let written = JSONWriter.object { json in
      json.member("nonce", ifPresent: nonce)
      json.member("max_age", ifPresent: maximumAge)
      json.member("login_hint", ifPresent: loginHint)
      json.member("account", ifPresent: expectedAccount?.text)
      if !idTokenClaims.isEmpty { json.member("id_token", idTokenClaims) }
      if !userInfoClaims.isEmpty { json.member("userinfo", userInfoClaims) }
    }
    return String(decoding: written, as: UTF8.self)
  }

  /// - Throws: `DatabaseError.column` when the text is no JSON.
  init(row: Row) throws {
    self.init()
    let text = try row.text("openid")
    // Most requests ask nothing of it.
    if text.utf8.elementsEqual("{}".utf8) { return }
    let json = try row.parsed("openid") { try? JSONValue(parsing: $0) }
    nonce = json.string("nonce")
    maximumAge = json.integer("max_age")
    loginHint = json.string("login_hint")
    expectedAccount = json.string("account").flatMap(AccountID.init)
    idTokenClaims = json.strings("id_token") ?? []
    userInfoClaims = json.strings("userinfo") ?? []
  }
}
