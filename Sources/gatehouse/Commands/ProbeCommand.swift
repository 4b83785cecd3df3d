import Domain
import Flows
import JSON

/// `gatehouse probe`.
enum ProbeCommand {
  private static let authority = Option(
    "--authority", "FILE", "A PEM file of certificates to trust for this besides the system's, to look behind them.")

  static let command = Command(
    name: "probe", summary: "Ask a URL, without any credential, what it demands, and say which connection meets that.",
    operand: Operand(
      name: "URL", meaning: "what an app wants to call; its host and port may be private, since you name them."),
    options: [authority, .json],
    action: .installation { here, arguments in
      guard let url = ResourceURL(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is no plain http or https URL without fragment and user info.")
      }
      let report = try await ProbeURL(here)(url, trusting: arguments.value(of: authority))
      if arguments.has(.json) { return .json(report.json) }
      let lines = ["\(url.withoutQuery) \(report.demand)", report.remedy]
      return CommandResult(output: lines.compactMap(\.self).joined(separator: "\n"))
    })
}

extension ProbeURL.Report {
  /// What the URL does, in words behind its name.
  fileprivate var demand: String {
    switch challenge {
    case .none: "asks for nothing: it answers anybody."
    case .identityAwareProxy(let host):
      "stands behind an identity-aware proxy, which sends people to \(host) to sign in."
    case .arcGIS(let wanted): Self.demand(wanted)
    case .accessToken(let realm): "asks for an OAuth 2 access token\(realm.map { " (realm \"\($0)\")" } ?? "")."
    case .forbidden: "lets nobody in who shows nothing."
    case .network(let challenge): demand(challenge)
    case .unknown(let text): "does not say what it wants. \(text)"
    }
  }

  private static func demand(_ wanted: ArcGISChallenge) -> String {
    if let portal = wanted.portal { return "asks for an ArcGIS token of the portal \(portal)." }
    guard let service = wanted.tokenService else { return "asks for an ArcGIS token, and does not say whose." }
    return "asks for an ArcGIS token of its own, which \(service) gives for a user name and password."
  }

  private func demand(_ challenge: NetworkChallenge) -> String {
    switch challenge {
    case .clientCertificate(let authorities):
      "asks for a client certificate\(authorities.isEmpty ? "." : " of \(authorities.joined(separator: " or ")).")"
    case .serverTrust(let reason):
      "shows a certificate that is not trusted: \(reason.words). Nothing was sent, and what else it wants is not known."
    case .authentication(let offers): "asks for \(Self.words(offers)).\(advice(offers))"
    }
  }

  private static func words(_ offers: [AuthenticationOffer]) -> String {
    let names = offers.map { offer in offer.scheme.words + (offer.realm.map { " (realm \"\($0)\")" } ?? "") }
    return Spelling.list(names, "or")
  }

  private func advice(_ offers: [AuthenticationOffer]) -> String {
    guard let best else {
      return connections.isEmpty
        ? " None of that may be used: over plain http, anybody on the way would read the password."
        : " Over plain http, anybody on the way reads the password."
    }
    return offers.count > 1 ? " The best of that is \(best.scheme.words)." : ""
  }

  /// What can be done about it; `nil` when nobody can say.
  fileprivate var remedy: String? {
    if challenge == .none { return "No connection is needed." }
    if case .unknown = challenge { return nil }
    if !connections.isEmpty {
      let names = connections.map { "\($0.id) (\($0.name))" }
      return "It can be met by the connection \(Spelling.list(names, "or"))."
    }
    if !elsewhere.isEmpty {
      let names = Spelling.list(elsewhere.map { "\($0.id) (\($0.name))" }, "and")
      return "The connection \(names) would meet that, but does not cover this URL. Create one that does."
    }
    if case .network(.serverTrust(let reason)) = challenge { return reason.remedy(at: "\(url.host):\(url.port)") }
    if case .identityAwareProxy = challenge {
      return "No connection here meets that. If it is Microsoft Entra Application Proxy, create one:\n  "
        + "gatehouse connection create --kind iap --tenant TENANT --host \(url.host) --id ID --client-id ID"
    }
    guard let creation else { return "No kind of connection here can meet that." }
    return "No connection here meets that. Create one:\n  \(creation)"
  }

  /// The command that makes the connection which is missing.
  private var creation: String? {
    if case .accessToken = challenge {
      return "gatehouse connection create --kind oidc --issuer URL --resource \(prefix) --id ID --client-id ID"
    }
    if case .network(.clientCertificate) = challenge {
      return "gatehouse connection create --kind certificate --url \(url.withoutQuery) --resource \(prefix) --id ID"
    }
    guard case .arcGIS(let wanted) = challenge, let portal = wanted.portal, let kind = challenge.kinds.first else {
      return nil
    }
    return "gatehouse connection create --kind \(kind.rawValue) --portal-url \(portal) --resource \(prefix) "
      + "--id ID --client-id ID"
  }

  /// What tokens would go to: the ArcGIS server's root, or the URL; not the whole host, where other things may stand.
  private var prefix: String {
    let whole = url.withoutQuery
    let end = ["/rest/", "/sharing/"].compactMap { whole.firstRange(of: $0)?.lowerBound }.min()
    return String(whole[..<(end ?? whole.endIndex)])
  }
}

extension AuthenticationOffer.Scheme {
  fileprivate var words: String {
    switch self {
    case .negotiate: "Negotiate (Kerberos)"
    case .digest: "Digest"
    case .ntlm: "NTLM"
    case .basic: "Basic"
    }
  }
}

extension Distrust {
  fileprivate var words: String {
    switch self {
    case .unknownAuthority: "no authority known here has signed it"
    case .expired: "it has expired"
    case .notYetValid: "it is not valid yet"
    case .otherHost: "it is made out to another host"
    case .other: "OpenSSL refuses it"
    }
  }

  fileprivate func remedy(at server: String) -> String {
    switch self {
    case .unknownAuthority:
      """
      To see what lies behind it, name the certificate of its authority, or its own: --authority FILE. A connection that \
      covers it can trust its key:
        gatehouse connection trust ID --host \(server)
      """
    case .expired, .notYetValid, .otherHost, .other: "The server needs another certificate."
    }
  }
}
