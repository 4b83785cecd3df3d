public import Domain
import JSON

/// Makes of an introspection answer a JWT that the caller can show to others (RFC 9701).
public struct SignIntrospection: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Signs `answer`, a JSON object, for the client that asked (§5).
  public func callAsFunction(_ answer: [UInt8], for client: Client) async throws -> Secret {
    let claims = JSONWriter.object { json in
      json.member("iss", here.issuer)
      json.member("aud", client.id.text)
      json.member("iat", here.clock.now().seconds)
      json.name("token_introspection")
      json.value(encoded: answer)
    }
    return try await here.sign(claims, type: "token-introspection+jwt", for: client)
  }
}
