import Crypto
public import Domain
import JOSE
public import Logging
public import Storage
public import Upstream

/// Everything that the use cases share: the store, its keys, the clock, the upstreams, our own address.
///
/// Made once at start and passed down by reference, since every request copies it a few times; it holds no state of its
/// own beyond what its parts guard themselves.
public final class Installation: Sendable {
  /// The external URL without a slash at its end; also the issuer of our tokens.
  public let issuer: String
  public let store: Store
  public let clock: Clock
  public let log: Logger
  /// What administrators can start a connection to a known provider from.
  public let providerTemplates: ProviderTemplates
  let vault: Vault
  let purposeKeys: PurposeKeys
  let signing: SigningKeys
  let upstreams: Upstreams
  let passwords: PasswordHashing
  let verifiedTokens: VerifiedTokens
  let knownClients: KnownClients
  let knownAPIKeys = KnownAPIKeys()
  let countedUses = CountedUses()
  let vendTallies = VendTallies()
  let appOrigins = AppOrigins()
  let knownConnections: KnownConnections
  let knownStandings = KnownStandings()
  let knownUses = KnownUses()
  let knownTokenHolders = KnownTokenHolders()
  let openedTokens: OpenedTokens
  let loginTrials = LoginTrials()
  let distrustedServers = DistrustedServers()
  let renewedForRefusal = RenewedForRefusal()
  let formTurns = FormTurns()
  let clientThrottle: ClientThrottle
  let appPasswordThrottle = SignInThrottle(freeTries: 10)
  let beginnings: Quota
  let probes: Quota
  let userCodes = Quota.ofUserCodes()
  let secondFactorTries = Quota.ofSecondFactors()
  let passwordWishes = PasswordWishes()
  let emailChanges = Quota.ofEmailChanges()
  let registrationChanges = Quota.ofRegistrations()
  let registrations: Quota
  let logoutTokens = Quota.ofLogoutTokens()
  let proxyPlaces = ProxyPlaces()
  let proofReplays = ProofReplays()
  let spentValues = SpentValues()
  public let clientCertificates: ClientCertificates
  public let registration: RegistrationPolicy
  /// The connection whose ArcGIS portal apps also find at the root of our URL.
  let rootPortal: ConnectionID?
  /// How mail is sent; `nil` where none is.
  let mailing: Mailing?
  let waitingSecrets: WaitingSecrets
  let refusals: RepeatedRefusals
  let refreshes: RefreshGate
  let breaker = ConnectionBreaker()

  /// Opens an installation on a migrated store, making the keys that are missing.
  public init(
    issuer: String, store: Store, vault: Vault, clock: Clock, upstreams: Upstreams, log: Logger,
    providerTemplates: ProviderTemplates = ProviderTemplates(),
    clientCertificates: ClientCertificates = ClientCertificates(),
    registration: RegistrationPolicy = RegistrationPolicy(), rootPortal: ConnectionID? = nil,
    mailing: Mailing? = nil
  ) async throws {
    let now = clock.now()
    self.issuer = issuer
    self.store = store
    self.clock = clock
    self.log = log
    self.providerTemplates = providerTemplates
    self.clientCertificates = clientCertificates
    self.registration = registration
    self.rootPortal = rootPortal
    self.mailing = mailing
    self.vault = vault
    self.upstreams = upstreams
    purposeKeys = try await PurposeKeys.load(from: store, vault, at: now)
    signing = try await SigningKeys.load(from: store, vault, clock)
    passwords = PasswordHashing()
    verifiedTokens = VerifiedTokens()
    knownClients = KnownClients()
    knownConnections = KnownConnections()
    openedTokens = OpenedTokens()
    clientThrottle = ClientThrottle()
    beginnings = .ofBeginnings()
    probes = .ofProbes()
    registrations = .ofRegistrations()
    waitingSecrets = WaitingSecrets()
    refusals = RepeatedRefusals()
    refreshes = RefreshGate()
  }

  /// Ends what callers can ask for; refreshes under way are still finished.
  public func close() {
    refreshes.close()
    signing.close()
  }

  /// What a call to an upstream needs: the connection with our secret there.
  ///
  /// - Throws: `UpstreamFailure` `misconfigured` when the secret does not open: that is nobody's credential's fault.
  func registration(for connection: Connection) async throws -> Registration {
    var secret: Secret?
    if connection.hasClientSecret, let sealed = try await store.read({ try $0.connectionSecret(connection.id) }) {
      do { secret = try vault.open(sealed, in: connection.secretContext) } catch KeyFailure.notAuthentic {
        log.error("a connection's client secret does not open", ["connection": .string(connection.id.text)])
        throw UpstreamFailure.misconfigured("The client secret of the connection \(connection.id) does not open.")
      }
    }
    return Registration(connection: connection, clientSecret: secret, redirectURI: redirectURI(connection))
  }

  /// What a call needs that no secret of ours goes with.
  func publicRegistration(for connection: Connection) -> Registration {
    Registration(connection: connection, clientSecret: nil, redirectURI: redirectURI(connection))
  }

  private func redirectURI(_ connection: Connection) -> String { "\(issuer)/callback/\(connection.id)" }
}

extension Connection {
  /// Where our sealed client secret belongs; moving it to other endpoints makes it unreadable.
  var secretContext: SealContext {
    SealContext(
      table: "connection", column: "client_secret", row: id.text, binding: "\(origin) \(clientID) \(revision)")
  }
}
