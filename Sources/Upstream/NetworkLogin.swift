internal import Crypto
public import Domain
internal import HTTP
internal import HTTPClient
internal import JSON

/// People of a web server that asks for a user name and password before it answers: Basic, Digest or NTLM (`password`).
///
/// The password goes to the host and realm that an administrator named and to nowhere else, by the one scheme that the
/// server asked for.
public struct NetworkLogin: NetworkKind {
  let dialer: Dialer

  /// Asks the server without any credential what it wants, which is kept so that nothing weaker is accepted later.
  public func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection {
    var connection = try draft.openingNetwork("asks for user name and password")
    let offer = try await offer(connection)
    connection.network = NetworkOptions(scheme: offer.scheme, realm: offer.realm)
    return connection
  }

  /// Tries the login once, by the scheme that the server asks for now.
  public func connect(
    _ typed: TypedCredential, referer: String, _ registration: Registration, now: Timestamp
  ) async throws(ConnectFailure) -> SignedIn {
    guard case .login(let login, _) = typed else {
      throw .upstream(.misconfigured("This kind takes a user name and password."))
    }
    let connection = registration.connection
    let scheme: AuthenticationOffer.Scheme
    do {
      scheme = try await offer(connection).scheme
      guard login.objections(by: scheme).isEmpty else {
        throw UpstreamFailure.misconfigured("\(connection.host) asks by another scheme than before.")
      }
    } catch let failure as UpstreamFailure { throw .upstream(failure.beforePassword) } catch { throw .unreadable }
    // Connections of a try that nobody owns yet.
    let owner = NetworkCredential.Owner(credential: "try \(UInt64.random(in: 0 ... .max))", generation: 0)
    defer { dialer.client.closeConnections(of: owner.credential) }
    do {
      let passage = Passage(network: NetworkCredential(owner: owner, login: try Self.login(login, scheme)))
      let (status, _) = try await dialer.head(of: connection.origin, passage, for: connection)
      switch status {
      case _ where Self.proves(status): break
      case 401: throw ConnectFailure.wrongPassword("\(connection.host) answered 401 by \(scheme.rawValue).")
      case 500...: throw UpstreamFailure.transient("\(connection.host) answered \(status).", retryAfter: nil, .down)
      default: throw ConnectFailure.unproven(status)
      }
    } catch let failure as ConnectFailure { throw failure } catch let failure as UpstreamFailure {
      throw .upstream(failure)
    } catch { throw .unreadable }
    // Windows tells no capital from small letters in a user name.
    let subject = scheme == .ntlm ? login.username.lowercased() : login.username
    let identity = UpstreamIdentity(
      connection: connection.id, issuer: connection.origin, subject: subject, displayName: login.username)
    let tokens = UpstreamTokens(
      accessToken: Self.secret(login, scheme), accessExpiresAt: .never, refreshToken: nil)
    return SignedIn(tokens: tokens, identity: identity, provenName: nil)
  }

  /// Whether a server that answered 401 to nobody answers this to a right password alone.
  ///
  /// An address is often a folder without a page of its own. What turns wrong passwords away otherwise sends people to a
  /// page for signing in, or says that there were too many of them.
  static func proves(_ status: Int) -> Bool { 200..<300 ~= status || [301, 308, 403, 404, 405].contains(status) }

  public func prove(
    _ secret: Secret, of credential: Credential, _ registration: Registration
  ) async throws(UpstreamFailure) { try await prove(secret, of: credential, registration, by: dialer) }

  public func passage(
    with secret: Secret, of credential: Credential, to url: ResourceURL, _ registration: Registration
  ) async throws(UpstreamFailure) -> Passage {
    let connection = registration.connection
    guard let (login, scheme) = Self.login(in: secret) else {
      throw .misconfigured("The stored credential is no user name and password.")
    }
    guard url.origin == ResourceURL(connection.origin)?.origin else {
      throw .misconfigured("Passwords go to \(connection.host) alone.")
    }
    guard scheme != .basic || url.isHTTPS || url.isLoopback else { throw Self.basicInTheOpen(url) }
    let owner = NetworkCredential.Owner(credential)
    return Passage(network: NetworkCredential(owner: owner, login: try Self.login(login, scheme)))
  }

  /// What is kept in the place of an access token.
  static func secret(_ login: TypedLogin, _ scheme: AuthenticationOffer.Scheme) -> Secret {
    Secret(
      JSONWriter.object { json in
        json.member("scheme", scheme.rawValue)
        json.member("username", login.username)
        json.member("password", Base64URL.encode(login.password.revealed))
      })
  }

  private static func login(in secret: Secret) -> (TypedLogin, AuthenticationOffer.Scheme)? {
    guard let json = try? JSONValue(parsing: secret.revealed),
      let scheme = json.string("scheme").flatMap(AuthenticationOffer.Scheme.init),
      let username = json.string("username"), let password = json.string("password").flatMap(Base64URL.decode)
    else { return nil }
    return (TypedLogin(username: username, password: Secret(password)), scheme)
  }

  /// What the server asks for now, if a password may be shown to it.
  private func offer(_ connection: Connection) async throws(UpstreamFailure) -> AuthenticationOffer {
    guard let url = ResourceURL(connection.origin) else { throw .misconfigured("The address is no web address.") }
    let (status, headers) = try await dialer.head(of: connection.origin, nil, for: connection)
    if status >= 500 { throw .transient("\(url.origin) answered \(status).", retryAfter: nil) }
    return try Self.choice(among: status == 401 ? headers.authenticationOffers : [], at: url, connection.network)
  }

  /// Pure: the offer to take.
  static func choice(
    among offers: [AuthenticationOffer], at url: ResourceURL, _ known: NetworkOptions?
  ) throws(UpstreamFailure) -> AuthenticationOffer {
    let password = offers.filter { $0.scheme != .negotiate }
    guard let best = AuthenticationOffer.best(of: password, overHTTPS: url.isHTTPS || url.isLoopback) else {
      if !password.isEmpty { throw basicInTheOpen(url) }
      throw .misconfigured(
        offers.isEmpty
          ? "\(url.withoutQuery) asks for no user name and password: enter an address that does."
          : "\(url.withoutQuery) asks for Kerberos (Negotiate), and for no user name and password.")
    }
    if let known, let before = known.scheme, best.scheme.isWeaker(than: before) {
      throw .misconfigured("\(url.origin) asked by \(before.rawValue) before, and by \(best.scheme.rawValue) now.")
    }
    if let known, let realm = known.realm, let now = best.realm, realm != now {
      throw .misconfigured(
        "\(url.origin) asked for logins of “\(LogText.clean(realm))” before, and of “\(LogText.clean(now))” now.")
    }
    return best
  }

  private static func basicInTheOpen(_ url: ResourceURL) -> UpstreamFailure {
    .misconfigured(
      "\(url.origin) takes passwords by Basic over plain http, which shows them to everybody on the way: enter its https "
        + "address.")
  }

  private static func login(
    _ typed: TypedLogin, _ scheme: AuthenticationOffer.Scheme
  ) throws(UpstreamFailure) -> NetworkCredential.Login {
    let (username, password) = (Array(typed.username.utf8), typed.password.revealed)
    let login: NetworkCredential.Login? =
      switch scheme {
      case .basic: .init(.basic, username: username, password: password)
      case .digest: .init(.digest, username: username, password: password)
      // libcurl makes UTF-16 of each byte as it stands, which is right for Latin-1 alone.
      case .ntlm: .init(.ntlm, username: username, password: latin1(password))
      case .negotiate: nil
      }
    guard let login else { throw .misconfigured("The login cannot be sent by \(scheme.rawValue).") }
    return login
  }

  private static func latin1(_ text: [UInt8]) -> [UInt8] {
    String(decoding: text, as: UTF8.self).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }
}

extension ConnectFailure {
  fileprivate static let unreadable = ConnectFailure.upstream(.invalidAnswer("The answer could not be read."))
}

extension AuthenticationOffer.Scheme {
  fileprivate func isWeaker(than other: Self) -> Bool {
    guard let mine = Self.allCases.firstIndex(of: self), let theirs = Self.allCases.firstIndex(of: other) else {
      return true
    }
    return mine > theirs
  }
}

extension Headers {
  /// What a 401 offers, as far as it is known, in its order.
  var authenticationOffers: [AuthenticationOffer] {
    challenges.compactMap { challenge in
      AuthenticationOffer.Scheme(rawValue: challenge.scheme).map {
        AuthenticationOffer($0, realm: challenge.parameters["realm"].map(LogText.line))
      }
    }
  }
}

extension Connection {
  /// This draft with its address and resources as they are kept, all at one origin, which `asks` for something.
  func openingNetwork(_ asks: String) throws(UpstreamFailure) -> Connection {
    let typed = origin.trimmed
    guard let url = ResourceURL(typed.contains("://") ? typed : "https://\(typed)") else {
      throw .misconfigured("\(LogText.clean(typed)) is not a web address: enter one that \(asks).")
    }
    var connection = self
    connection.clientID = ""
    connection.origin = url.path == "/" ? url.origin : url.withoutQuery
    connection.declareLoopback(url)
    try connection.requireSafe(url)
    if connection.resources.isEmpty { connection.resources = [ResourcePattern(connection.origin)].compactMap(\.self) }
    if let other = connection.resources.first(where: { ResourceURL($0.text)?.origin != url.origin }) {
      throw .misconfigured("What people enter is for \(url.origin) alone: \(other.text) is elsewhere.")
    }
    return connection
  }
}
