import Domain
import Flows
import HTTP

/// The key that a request proves to hold, by a DPoP proof (RFC 9449) or by the certificate of its connection (RFC 8705).
struct SenderKey: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  /// What the tokens that `client` asks for are to be bound to; `nil` for bearer tokens.
  ///
  /// - Throws: `Refusal` `invalid_dpop_proof` also when a client that has to send a proof sends none, and
  ///   `use_dpop_nonce`.
  func binding(_ call: Call, for client: Client) async throws -> TokenBinding? {
    if client.bindsToCertificate {
      guard let certificate = call.request.clientCertificate else {
        throw Refusal(.invalidRequest, "This client has to show its certificate, since its tokens are bound to it.")
      }
      return .certificate(der: certificate)
    }
    guard let proof = try Self.proof(in: call.request) else {
      guard !client.requiresBoundTokens else {
        throw Refusal(.invalidDPoPProof, "This client has to send a DPoP proof, since its tokens are bound to a key.")
      }
      return nil
    }
    return try await prove(proof, call, accessToken: nil, needsNonce: client.requiresDPoPNonce)
  }

  /// Checks that whoever presents a bound token holds its key (RFC 9449 §7).
  ///
  /// - Throws: `Refusal` `invalid_token` for a token that is bound in another way than it is presented, or to another key.
  func check(_ call: Call, _ token: String, _ claims: AccessTokenClaims, byDPoP: Bool) async throws {
    switch (claims.binding, byDPoP) {
    case (nil, false): return
    case (.dpop?, false):
      throw Refusal(.invalidToken, "The access token is bound to a key: send Authorization: DPoP TOKEN and a proof.")
    case (.certificate?, false):
      guard call.request.clientCertificate.map({ .certificate(der: $0) }) == claims.binding else {
        throw Refusal(.invalidToken, "The access token is bound to a certificate that this connection does not show.")
      }
    case (.referer?, false), (.address?, false):
      throw Refusal(
        .invalidToken, "The access token is for the ArcGIS portal that it was given for, and bound to a place.")
    case (.dpop?, true): try await checkProof(call, token, claims)
    case (_, true):
      throw Refusal(.invalidToken, "The access token is bound to no DPoP key: send Authorization: Bearer TOKEN.")
    }
  }

  private func checkProof(_ call: Call, _ token: String, _ claims: AccessTokenClaims) async throws {
    guard let proof = try Self.proof(in: call.request) else {
      throw Refusal(.invalidDPoPProof, "The header DPoP with a proof is missing.")
    }
    guard try await prove(proof, call, accessToken: token, needsNonce: claims.needsNonce) == claims.binding else {
      throw Refusal(.invalidToken, "The access token is bound to another key.")
    }
  }

  /// The thumbprint of the DPoP key that a pushed request proves to hold, which the code is then bound to (RFC 9449
  /// §10.1); `nil` without a proof.
  func pushedKey(_ call: Call, for client: Client) async throws -> String? {
    guard let proof = try Self.proof(in: call.request) else { return nil }
    return try await prove(proof, call, accessToken: nil, needsNonce: client.requiresDPoPNonce).member.value
  }

  private static func proof(in request: Request) throws(Refusal) -> String? {
    let proofs = request.headers.values(of: "dpop")
    guard proofs.count <= 1 else { throw Refusal(.invalidDPoPProof, "The header DPoP stands more than once.") }
    return proofs.first
  }

  private func prove(
    _ proof: String, _ call: Call, accessToken: String?, needsNonce: Bool
  ) async throws -> TokenBinding {
    try await ProvePossession(here)(
      proof,
      for: .init(
        method: call.request.method.name, path: String(call.request.target.prefix { $0 != "?" }),
        accessToken: accessToken, needsNonce: needsNonce))
  }
}
