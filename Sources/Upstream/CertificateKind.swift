internal import Crypto
public import Domain
internal import HTTP
internal import HTTPClient

/// People of servers that ask for a client certificate in the TLS handshake (`certificate`).
///
/// What is kept is the chain and the key, never the file that they came in nor its passphrase.
public struct CertificateKind: NetworkKind {
  let client: OutboundClient
  let reader: PKCS12Reader?

  /// Makes sure that the server asks for a certificate at all.
  public func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection {
    let typed = draft.origin.trimmed
    guard let url = ResourceURL(typed.contains("://") ? typed : "https://\(typed)"), url.query.isEmpty else {
      throw .misconfigured(
        "\(LogText.clean(typed)) is not a web address: enter the server's, like https://gis.example.org.")
    }
    guard url.isHTTPS else { throw .misconfigured("A certificate is shown in TLS alone: enter an https address.") }
    var connection = draft
    connection.clientID = ""
    connection.reach.allowsHTTP = false
    connection.origin = url.path == "/" ? url.origin : url.withoutQuery
    connection.declareLoopback(url)
    let sight = try await look(at: connection, with: nil)
    guard sight.authorities != nil else {
      throw .misconfigured(
        "\(connection.origin) does not ask for a client certificate: enter the address of what does, or take another kind."
      )
    }
    if connection.resources.isEmpty { connection.resources = [ResourcePattern(connection.origin)].compactMap { $0 } }
    return connection
  }

  public func connect(
    _ typed: TypedCredential, referer: String, _ registration: Registration, now: Timestamp
  ) async throws(ConnectFailure) -> SignedIn {
    guard case .certificate(let typed) = typed else {
      throw .upstream(.misconfigured("This kind takes a certificate file."))
    }
    let (pem, chain) = try await opened(typed)
    let own = chain[0]
    if own.validUntil <= now { throw .certificate(.expired(own.validUntil)) }
    if own.validFrom > now { throw .certificate(.notYetValid(own.validFrom)) }
    try await show(pem, chain, typed, at: registration.connection)
    let subject = Self.identifying(own.subject, of: own)
    // A name counts as its authority gave it; another one may give the same name to somebody else.
    let identity = UpstreamIdentity(
      connection: registration.connection.id, issuer: Self.identifying(own.issuer, of: own), subject: subject,
      displayName: LogText.line(subject))
    let tokens = UpstreamTokens(accessToken: pem, accessExpiresAt: own.validUntil, refreshToken: nil)
    return SignedIn(tokens: tokens, identity: identity, provenName: nil)
  }

  private static func identifying(_ name: String, of certificate: CertificateDescription) -> String {
    (1...500).contains(name.utf8.count) ? name : certificate.fingerprint
  }

  private func opened(_ typed: TypedCertificate) async throws(ConnectFailure) -> (Secret, [CertificateDescription]) {
    guard let reader else { throw .upstream(.misconfigured("Certificate files cannot be read here.")) }
    do throws(PKCS12Failure) {
      let pem = Secret(try await reader.pem(of: typed.file.revealed, passphrase: typed.passphrase.revealed))
      let chain = Self.chain(in: pem)
      guard !chain.isEmpty else { throw .damaged }
      return (pem, chain)
    } catch { throw .certificate(.file(.init(error))) }
  }

  /// What the certificates of a PEM text say, the own one first; none when it cannot be read.
  public static func chain(in pem: Secret) -> [CertificateDescription] {
    do { return try CertificateFacts.all(inPEM: pem.revealed).map(CertificateDescription.init) } catch { return [] }
  }

  /// Shows it to the server once, after asking without it whose certificates are accepted.
  private func show(
    _ pem: Secret, _ chain: [CertificateDescription], _ typed: TypedCertificate, at connection: Connection
  ) async throws(ConnectFailure) {
    guard let certificate = ClientCertificate(pem: pem.revealed) else { throw .certificate(.file(.damaged)) }
    do {
      let before = try await look(at: connection, with: nil)
      guard let authorities = before.authorities else {
        throw UpstreamFailure.invalidAnswer("\(connection.origin) does not ask for a client certificate any more.")
      }
      guard typed.isForAnyAuthority || CertificateDescription.isIssued(chain: chain, by: authorities) else {
        throw ConnectFailure.certificate(.otherAuthority(accepted: authorities, issuer: chain[0].issuer))
      }
      let after = try await look(at: connection, with: certificate)
      if let refusal = after.refusal(after: before) { throw ConnectFailure.certificate(.refused(refusal)) }
    } catch let failure as ConnectFailure {
      throw failure
    } catch let failure as UpstreamFailure {
      throw .upstream(failure)
    } catch { throw .upstream(.invalidAnswer("The answer could not be read.")) }
  }

  /// Asks for the connection's address on a connection of its own.
  private func look(
    at connection: Connection, with certificate: ClientCertificate?
  ) async throws(UpstreamFailure) -> CertificateSight {
    var request = OutboundRequest(.head, connection.origin, headers: ["accept": "*/*"])
    request.observesHandshake = true
    // Nobody's yet: the connection is closed behind it.
    let owner = NetworkCredential.Owner(credential: Random.token(), generation: 0)
    request.network = certificate.map { NetworkCredential(owner: owner, certificate: $0) }
    connection.open(&request)
    do {
      let answer = try await client.send(request)
      return CertificateSight(handshake: answer.handshake, status: answer.status.code)
    } catch {
      switch error {
      case .notSent(let cause) where cause.handshake?.clientAuthorities != nil && cause.kind != .certificate,
        .incomplete(let cause) where cause.handshake?.clientAuthorities != nil:
        if [.tls, .connectionLost].contains(cause.kind) {
          return CertificateSight(handshake: cause.handshake, status: nil)
        }
      default: break
      }
      let url = ResourceURL(connection.origin)
      throw Dialer.failure(of: error, at: connection.origin, declaredAs: url?.hostAndPort ?? "the host")
    }
  }

  public func prove(
    _ secret: Secret, of credential: Credential, _ registration: Registration
  ) async throws(UpstreamFailure) {
    guard let certificate = ClientCertificate(pem: secret.revealed) else {
      throw .refused("The stored certificate cannot be read.")
    }
    let before = try await look(at: registration.connection, with: nil)
    let after = try await look(at: registration.connection, with: certificate)
    guard after.refusal(after: before) == nil else {
      throw .refused("\(registration.connection.host) does not take the certificate at its own address, either.")
    }
  }

  public func passage(
    with secret: Secret, of credential: Credential, to url: ResourceURL, _ registration: Registration
  ) async throws(UpstreamFailure) -> Passage {
    guard url.isHTTPS else { throw .misconfigured("A certificate is shown in TLS alone.") }
    guard let certificate = ClientCertificate(pem: secret.revealed) else {
      throw .refused("The stored certificate cannot be read.")
    }
    return Passage(network: NetworkCredential(owner: .init(credential), certificate: certificate))
  }
}

/// What a server made of a handshake with or without a certificate.
struct CertificateSight {
  /// The authorities that it names; `nil` when it asked for no certificate.
  let authorities: [String]?
  private let alert: UInt8?
  /// `nil` when it ended the connection.
  private let status: Int?

  init(handshake: Handshake?, status: Int?) {
    authorities = handshake?.clientAuthorities?.map(LogText.line)
    alert = handshake?.alert
    self.status = status
  }

  /// Why the server did not take the certificate, given what it did without one; `nil` when it did.
  ///
  /// Servers that go on without one say on a page that it was needed; a status that was there before tells nothing of the
  /// certificate then.
  func refusal(after before: CertificateSight) -> CertificateProblem.Refusal? {
    guard let status else { return CertificateProblem.Refusal(alert: alert) }
    if [495, 496].contains(status) { return .other }
    return [400, 403].contains(status) && before.status == status ? .stillWanted : nil
  }
}

extension CertificateProblem.Refusal {
  /// By the number of an alert (RFC 8446 §6.2).
  init(alert: UInt8?) {
    self =
      switch alert {
      case 42, 43: .unsuitable
      case 44: .revoked
      case 45: .expired
      case 48: .unknownAuthority
      case 49: .accessDenied
      case 116: .stillWanted
      default: .other
      }
  }
}

extension CertificateProblem.FileProblem {
  fileprivate init(_ failure: PKCS12Failure) {
    self =
      switch failure {
      case .damaged: .damaged
      case .wrongPassphrase: .wrongPassphrase
      case .noPrivateKey: .noPrivateKey
      case .noCertificate: .noCertificate
      case .otherKey: .otherKey
      case .tooCostly: .tooCostly
      case .unsuitableKey: .unsuitableKey
      case .unknownEncryption: .unknownEncryption
      case .notRead: .notRead
      }
  }
}

extension CertificateDescription {
  init(_ facts: CertificateFacts) {
    self.init(
      subject: facts.subject, issuer: facts.issuer, fingerprint: Self.spelled(facts.fingerprint),
      publicKeyFingerprint: Self.spelled(facts.publicKeyFingerprint),
      validFrom: Timestamp(seconds: facts.validFrom), validUntil: Timestamp(seconds: facts.validUntil))
  }

  private static func spelled(_ bytes: [UInt8]) -> String {
    bytes.map { Hex.encode([$0]).uppercased() }.joined(separator: ":")
  }
}
