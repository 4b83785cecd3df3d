import Crypto
public import Domain
import JSON
import Storage
import Upstream

/// Sends a browser to an upstream: keeps what the callback will need, and makes the upstream's URL.
public struct BeginSignIn: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// The connection, if people can connect it.
  ///
  /// - Throws: `Refusal`: `not_found`, or `access_denied` while it is disabled or when it is the service's own.
  public func connection(_ id: ConnectionID) async throws -> Connection {
    guard let connection = try await here.store.read({ try $0.connection(id) }) else {
      throw Refusal(.notFound, "There is no connection called \(id).")
    }
    guard !connection.isDisabled else {
      throw Refusal(
        .accessDenied,
        "An administrator has switched \(connection.name) off, so nobody can sign in with it or connect it.")
    }
    guard !connection.kind.isServiceOwned else {
      throw Refusal(.accessDenied, "Nobody connects \(connection.name): it is this service's own.")
    }
    return connection
  }

  /// Makes the upstream's authorization URL.
  ///
  /// `browser` is the hash of the cookie that binds the trip to this browser; `returnPath` is where to go afterwards:
  /// anything but a path of ours becomes the account page; `replacement` is the mark of the identity that the person
  /// agreed to connect in place of the one before (``CompleteSignIn/Replacement``); `keeping` counts for connecting.
  ///
  /// - Throws: `Refusal` when there is no such connection; `UpstreamFailure` when it cannot be reached.
  public func callAsFunction(
    _ id: ConnectionID, for purpose: SignInAttempt.Purpose, browser: TokenHash, returnPath: String?,
    replacement: String? = nil, keeping: Keeping = .untilSignOut, forcesLogin: Bool = false
  ) async throws -> String {
    let connection = try await connection(id)
    guard connection.kind.connectsInBrowser else {
      throw Refusal(
        .invalidRequest, "Nobody signs in with \(connection.name). Sign in here, then connect it in your account.")
    }
    let connects = if case .connect = purpose { true } else { false }
    if !connects, let proxy = try await here.proxy(before: connection) {
      throw Refusal(
        .invalidRequest,
        "Nobody signs in with \(connection.name), which stands behind \(proxy.name). Sign in with that, then connect it in "
          + "your account.")
    }
    let (state, nonce, verifier) = (NewToken(), Random.token(), Random.token())
    let registration = try await here.registration(for: connection)
    let start = SignInStart(
      state: state.secret.revealedText, challenge: Base64URL.encode(SHA256.hash(verifier)), nonce: nonce,
      forcesLogin: forcesLogin || connection.portal.forcesLogin)
    let url = try await here.upstreams.browserKind(of: connection).authorizationURL(start, registration)
    let attempt = SignInAttempt(
      stateHash: state.hash, browser: browser, connection: id, connectionRevision: connection.revision,
      purpose: purpose, returnPath: ReturnPath.checked(returnPath), expiresAt: here.clock.now() + SignInAttempt.lifetime
    )
    let secrets = try here.vault.seal(
      SignInSecrets(verifier: Secret(verifier), nonce: nonce, keeping: keeping, replacement: replacement).sealable,
      in: attempt.sealContext)
    try await here.store.write { try $0.insert(attempt, secrets: secrets) }
    return url
  }
}

/// What only the callback may know of a trip.
struct SignInSecrets {
  let verifier: Secret
  let nonce: String
  /// How long the person wants to be connected.
  let keeping: Keeping
  /// The mark of the identity that may take the place of another; `nil` when none may.
  let replacement: String?

  var sealable: Secret {
    Secret([verifier.revealedText, nonce, keeping.text, replacement].compactMap { $0 }.joined(separator: " "))
  }

  init(verifier: Secret, nonce: String, keeping: Keeping, replacement: String?) {
    self.verifier = verifier
    self.nonce = nonce
    self.keeping = keeping
    self.replacement = replacement
  }

  init(unsealed: Secret) throws {
    let words = unsealed.revealedText.split(separator: " ").map(String.init)
    guard words.count == 3 || words.count == 4, let keeping = Keeping(text: words[2]) else {
      throw KeyFailure.notAuthentic
    }
    self.init(
      verifier: Secret(words[0]), nonce: words[1], keeping: keeping, replacement: words.count == 4 ? words[3] : nil)
  }
}

extension SignInAttempt {
  var sealContext: SealContext {
    SealContext(
      table: "sign_in_attempt", column: "secrets", row: Hex.encode(stateHash.bytes),
      binding: "\(connection) \(connectionRevision)")
  }
}
