import Crypto
import Domain
import JSON

/// A token of an API key as its holder has it: `gh_ck_PAYLOAD.MAC`, which says itself what it is for.
///
/// Nothing of it is stored. The MAC covers the code of the key's secret that it was made with, too, so that it ends with
/// that secret, also where another one follows in the same slot.
struct HeldAPIKeyToken: Sendable {
  static let beginning = "gh_ck_"
  /// In bytes; header fields are longer, but not much.
  static let longest = 4096

  let token: APIKeyToken
  private let pepperID: String
  /// What stands before the MAC.
  private let body: String
  private let code: [UInt8]

  /// Takes what was presented; `nil` when it cannot be one.
  ///
  /// Whether it is genuine, ``isGenuine(_:_:)`` says.
  init?(_ text: String) {
    guard text.hasPrefix(Self.beginning), text.utf8.count <= Self.longest else { return nil }
    let parts = text.dropFirst(Self.beginning.utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let payload = Base64URL.decode(String(parts[0])),
      let code = Base64URL.decode(String(parts[1])), let json = try? JSONValue(parsing: payload),
      let token = APIKeyToken(payload: json), let pepper = json.string("pepper")
    else { return nil }
    (self.token, pepperID, self.code) = (token, pepper, code)
    body = Self.beginning + parts[0]
  }

  /// Whether this installation made it with the secret of `slot`.
  func isGenuine(_ slot: ClientAPIKey.Slot, _ keys: PurposeKeys) -> Bool {
    keys.key(pepperID, for: .apiKeyToken)?.mac.isValid(code, for: Array(body.utf8) + slot.code) ?? false
  }

  /// The text of a new token.
  static func text(of token: APIKeyToken, _ slot: ClientAPIKey.Slot, _ keys: PurposeKeys) -> Secret {
    let pepper = keys.current(.apiKeyToken)
    let body = beginning + Base64URL.encode(token.payload(pepper.id))
    return Secret("\(body).\(Base64URL.encode(pepper.mac.authenticate(Array(body.utf8) + slot.code)))")
  }
}

extension APIKeyToken {
  fileprivate func payload(_ pepperID: String) -> [UInt8] {
    JSONWriter.object { json in
      json.member("pepper", pepperID)
      json.member("id", id.text)
      json.member("key", key.text)
      json.member("slot", slot)
      json.member("exp", expiresAt.seconds)
      if let list = narrowing.connections { json.member("connections", list.map(\.text)) }
      if let list = narrowing.resources { json.member("resources", list.map(\.text)) }
      if let list = narrowing.methods { json.member("methods", list) }
      json.member("longest_answer", ifPresent: narrowing.longestAnswer)
      if let list = narrowing.referrers { json.member("referrers", list.map(\.text)) }
      if let list = narrowing.networks { json.member("networks", list) }
    }
  }

  fileprivate init?(payload json: JSONValue) {
    guard let id = json.string("id").flatMap(APIKeyTokenID.init), let key = json.string("key").flatMap(APIKeyID.init),
      let slot = json.integer("slot"), let end = json.integer("exp")
    else { return nil }
    var narrowing = APIKeyNarrowing()
    // What is left out is the key's own, so nothing may be lost in reading.
    for member in json.object ?? [] {
      let value = member.value
      switch member.name {
      case "connections": narrowing.connections = Self.list(value) { ConnectionID($0) }
      case "resources": narrowing.resources = Self.list(value) { ResourcePattern($0) }
      case "methods": narrowing.methods = value.strings
      case "longest_answer": narrowing.longestAnswer = value.integer
      case "referrers": narrowing.referrers = Self.list(value) { ResourcePattern($0) }
      case "networks": narrowing.networks = value.strings
      default: break
      }
    }
    guard json.object?.count == 5 + narrowing.count else { return nil }
    self.init(id: id, key: key, slot: slot, expiresAt: Timestamp(seconds: end), narrowing: narrowing)
  }

  private static func list<Element>(_ value: JSONValue, _ parse: (String) -> Element?) -> [Element]? {
    let parsed = value.strings?.map(parse) ?? [nil]
    return parsed.contains { $0 == nil } ? nil : parsed.compactMap(\.self)
  }
}

extension APIKeyNarrowing {
  /// The members in which it says something.
  fileprivate var count: Int {
    [connections != nil, resources != nil, methods != nil, longestAnswer != nil, referrers != nil, networks != nil]
      .count { $0 }
  }
}
