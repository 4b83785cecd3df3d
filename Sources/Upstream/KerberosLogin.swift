internal import Crypto
public import Domain
internal import HTTP
internal import HTTPClient
internal import JSON
internal import Kerberos

/// People of a web server that asks for Kerberos: Negotiate, with a ticket that a password or a keytab gets (`kerberos`).
///
/// The password goes to the realm's key distribution centre alone, and never to the server.
public struct KerberosLogin: NetworkKind {
  let dialer: Dialer
  let tickets: KerberosTickets

  public func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection {
    guard let options = draft.network?.kerberos, KerberosRealm(options.realm, centres: options.centres) != nil else {
      throw .misconfigured(
        "Enter the Kerberos realm, such as NORRVIK.EXAMPLE, and its key distribution centres as HOST or HOST:PORT.")
    }
    var connection = try draft.openingNetwork("asks for Kerberos")
    let (status, headers) = try await dialer.head(of: connection.origin, nil, for: connection)
    if status >= 500 { throw .transient("\(connection.host) answered \(status).", retryAfter: nil) }
    guard status == 401, headers.authenticationOffers.contains(where: { $0.scheme == .negotiate }) else {
      throw .misconfigured("\(connection.origin) does not ask for Kerberos (Negotiate): enter an address that does.")
    }
    connection.network?.scheme = .negotiate
    return connection
  }

  /// Gets a ticket and shows it to the server, each once.
  public func connect(
    _ typed: TypedCredential, referer: String, _ registration: Registration, now: Timestamp
  ) async throws(ConnectFailure) -> SignedIn {
    let connection = registration.connection
    guard let key = KerberosSecret(typed) else {
      throw .upstream(.misconfigured("This kind takes a user name with a password or a keytab."))
    }
    let attempt = "try \(UInt64.random(in: 0 ... .max))"
    defer { tickets.forget(attempt) }
    let proof: Passage
    do { proof = try await passage(key, of: .init(credential: attempt, generation: 0), connection) } catch {
      throw error.connectFailure
    }
    do {
      let (status, _) = try await dialer.head(of: connection.origin, proof, for: connection)
      if status >= 500 { throw UpstreamFailure.transient("\(connection.host) answered \(status).", retryAfter: nil) }
      guard status != 401 else {
        throw ConnectFailure.kerberos(.ticketRefused("\(connection.host) answered 401 to a fresh ticket."))
      }
    } catch let failure as ConnectFailure { throw failure } catch let failure as UpstreamFailure {
      throw .upstream(failure)
    } catch { throw .upstream(.invalidAnswer("The answer could not be read.")) }
    let name = "\(key.principal)@\(connection.network?.kerberos?.realm ?? "")"
    return SignedIn(
      tokens: UpstreamTokens(accessToken: key.sealable, accessExpiresAt: .never, refreshToken: nil),
      identity: UpstreamIdentity(
        connection: connection.id, issuer: connection.origin, subject: name, displayName: name), provenName: nil)
  }

  public func prove(
    _ secret: Secret, of credential: Credential, _ registration: Registration
  ) async throws(UpstreamFailure) { try await prove(secret, of: credential, registration, by: dialer) }

  public func passage(
    with secret: Secret, of credential: Credential, to url: ResourceURL, _ registration: Registration
  ) async throws(UpstreamFailure) -> Passage {
    let connection = registration.connection
    guard let key = KerberosSecret(unsealed: secret) else {
      throw .misconfigured("The stored credential is neither a password nor a keytab.")
    }
    guard url.origin == ResourceURL(connection.origin)?.origin else {
      throw .misconfigured("Tickets go to \(connection.host) alone.")
    }
    let owner = NetworkCredential.Owner(credential)
    do {
      var passage = try await passage(
        key, of: .init(credential: owner.credential, generation: owner.generation), connection)
      // A server may take a connection for authenticated that a ticket was shown on.
      passage.network = NetworkCredential(owner: owner)
      return passage
    } catch { throw error.upstreamFailure }
  }

  private func passage(
    _ key: KerberosSecret, of owner: KerberosTickets.Owner, _ connection: Connection
  ) async throws(KerberosFailure) -> Passage {
    guard let options = connection.network?.kerberos,
      let realm = KerberosRealm(options.realm, centres: options.centres)
    else { throw .other("The connection has no realm.") }
    let token = try await tickets.proof(by: key.key, of: owner, in: realm, forHTTPAt: connection.host)
    return Passage(headers: [("Authorization", Secret("Negotiate \(Base64.encode(token))"))])
  }
}

/// What is kept in the place of an access token: a principal with its password or its keytab.
struct KerberosSecret {
  let principal: String
  private let password: Secret?
  private let keytab: Secret?

  init?(_ typed: TypedCredential) {
    switch typed {
    case .login(let login, _): (principal, password, keytab) = (login.username, login.password, nil)
    case .keytab(let file): (principal, password, keytab) = (file.principal, nil, file.content)
    default: return nil
    }
  }

  init?(unsealed secret: Secret) {
    guard let json = try? JSONValue(parsing: secret.revealed), let principal = json.string("principal") else {
      return nil
    }
    self.principal = principal
    password = json.string("password").flatMap(Base64URL.decode).map { Secret($0) }
    keytab = json.string("keytab").flatMap(Base64URL.decode).map { Secret($0) }
    if password == nil && keytab == nil { return nil }
  }

  var sealable: Secret {
    Secret(
      JSONWriter.object { json in
        json.member("principal", principal)
        json.member("password", ifPresent: password.map { Base64URL.encode($0.revealed) })
        json.member("keytab", ifPresent: keytab.map { Base64URL.encode($0.revealed) })
      })
  }

  fileprivate var key: KerberosKey {
    if let keytab { return .keytab(keytab.revealed, of: principal) }
    return .password(password?.revealed ?? [], of: principal)
  }
}

extension KerberosFailure {
  /// What the person who connects is told.
  fileprivate var connectFailure: ConnectFailure {
    switch self {
    case .wrongKey: .wrongPassword("The realm does not accept the password or keytab.")
    case .unknownPrincipal: .kerberos(.unknownPrincipal)
    case .locked: .accountLocked("The realm has locked the principal.")
    case .expired: .kerberos(.expired)
    case .clockSkew: .kerberos(.clockSkew)
    case .invalidKeytab: .kerberos(.invalidKeytab)
    case .unknownService, .unreachable, .busy, .other: .upstream(upstreamFailure)
    }
  }

  /// What it means for a request with a stored credential.
  fileprivate var upstreamFailure: UpstreamFailure {
    switch self {
    case .wrongKey, .unknownPrincipal, .locked, .expired, .invalidKeytab:
      .refused("The realm does not accept the stored password or keytab any more.")
    case .clockSkew: .misconfigured("The clock differs from the realm's by more than it allows.")
    case .unknownService(let text): .misconfigured("The realm does not know the service (\(LogText.clean(text))).")
    case .unreachable(let text):
      .transient("No key distribution centre can be reached (\(LogText.clean(text))).", retryAfter: nil)
    case .busy: .transient("Too many wait for key distribution centres.", retryAfter: nil)
    case .other(let text): .invalidAnswer("Kerberos: \(LogText.clean(text))")
    }
  }
}
