internal import JSON

/// One of the two places for a key that an API key credential has.
struct KeySlot: Sendable, Hashable {
  let clientID: String
  /// 1 or 2.
  let number: String
}

extension Portal {
  /// `client_credentials` with `apiToken`: a new key in a slot, which kills the one that stood there at once.
  mutating func regenerateKey(_ call: Call, _ client: SimulatedClient) throws(PortalError) -> JSONValue {
    guard client.makesKeys else { throw .invalidRequest("The item is no API key credential") }
    guard let number = call.parameters["apiToken"], ["1", "2"].contains(number) else {
      throw .invalidRequest("Invalid apiToken")
    }
    // What a portal answers without it is not documented.
    guard call.parameters["regenerateApiToken"] == "true" else {
      throw .invalidRequest("regenerateApiToken not specified")
    }
    let slot = KeySlot(clientID: client.id, number: number)
    if let old = keys[slot] { accessTokens[old] = nil }
    let lifetime = accessLifetime(Lifetime.apiKey)
    let key = "AAPT\(randomName())\(number)\(randomName().suffix(9))"
    accessTokens[key] = AccessToken(user: nil, clientID: client.id, expiresAt: call.now.adding(seconds: lifetime))
    keys[slot] = key
    return ["access_token": .string(key), "expires_in": .integer(Int64(lifetime))]
  }
}

extension Lifetime {
  /// The longest that an API key may live.
  static let apiKey = 365 * 86_400
}
