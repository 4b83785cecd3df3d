import Domain
import Flows
import Pages

extension ChallengeSteps.View {
  /// Whether the server itself asks for the sign-in that is next, and not only the app that waits.
  var doesServerAsk: Bool { waitingLayer != nil }

  /// Whether more than one connection answers what is asked for.
  var hasOtherWays: Bool { waitingLayer.map { $0.candidates.count > 1 } ?? false }

  /// What the server asked for last, or else the app, in plain words.
  var asked: Words {
    let host = place.resource.host
    if let layer = waitingLayer ?? (missing == nil && found.end == .waits ? found.layers.last : nil) {
      return "\(host) asks for \(layer.challenge.demand(overHTTPS: place.resource.isHTTPS))."
    }
    if let missing {
      let need: Words =
        if let client {
          "\(client.name) needs \(missing.name) for this address."
        } else {
          "The app needs \(missing.name) for this address."
        }
      guard found.end == .answers else { return need }
      return found.layers.isEmpty
        ? "\(need) \(host) itself asks for nothing." : "\(need) \(host) itself asks for nothing more."
    }
    if case .unknown(let text) = found.end { return Words(text) }
    return found.end == .forbidden ? "\(host) knows who you are, and does not let you have this." : ""
  }

  /// What went wrong with the sign-in that is held already; `nil` when nothing did.
  var problem: Words? {
    guard let layer = waitingLayer, let name = layer.connection?.name else { return nil }
    let person = layer.credential?.identity.displayName ?? ""
    return switch layer.state {
    case .refused where layer.isJustRenewed && layer.challenge.layer == .service: freshRefused(name, person)
    case .refused: "\(place.resource.host) did not accept the stored sign-in of \(name) (\(person))."
    case .otherAuthority: Self.foreign(layer, name, person)
    case .reauthRequired: "The stored sign-in of \(name) (\(person)) no longer works."
    case .unavailable: "\(name) gives no token for this address at the moment. Signing in again may help."
    case .satisfied, .notConnected, .notAllowed, .unmet: nil
    }
  }

  private func freshRefused(_ name: String, _ person: String) -> Words {
    "\(place.resource.host) refuses a token of \(name) (\(person)) that was made just now, so signing in again will hardly "
      + "help. Tell an administrator: the server may not belong to this portal, the token may be bound to another address "
      + "or referer, or clocks may differ."
  }

  /// Which authorities the server names, and whose the certificate is that is held.
  private static func foreign(_ layer: PeelLayers.Layer, _ name: String, _ person: String) -> Words? {
    guard case .network(.clientCertificate(let accepted)) = layer.challenge, let issuer = layer.foreignIssuer else {
      return nil
    }
    return
      "The server accepts certificates of \(CertificateProblem.list(accepted)); yours in \(name) (\(person)) is of \(issuer). "
      + "Choose another certificate."
  }

  /// The layers as far as they are known, the current one last.
  var steps: [PageContext] {
    var steps = found.layers.enumerated().map { index, layer in
      let isDone = layer.state == .satisfied
      return Self.step(index + 1, layer.challenge.title, layer.text, isDone: isDone)
    }
    if waitingLayer == nil, let missing {
      steps.append(Self.step(steps.count + 1, "Service", "Now: \(missing.name).", isDone: false))
    }
    return steps
  }

  private static func step(_ number: Int, _ title: Words, _ text: Words, isDone: Bool) -> PageContext {
    ["number": .text(String(number)), "title": .words(title), "text": .words(text), "done": .flag(isDone)]
  }

  /// What the person reads when there is nothing to sign in to.
  var result: ChallengeResult {
    if client != nil, !toAllow.isEmpty { return .allow }
    if settled != nil, found.end != .forbidden { return .ready }
    if isSilent { return .silent }
    return switch found.end {
    case .answers: .ready
    case .waits:
      if found.layers.last?.state == .notAllowed {
        .secret
      } else {
        place.standing?.rejected.isEmpty == false ? .rejected : .unmet
      }
    case .forbidden: .forbidden
    case .unknown: .unknown
    }
  }

  /// Which connection gives which header fields for the URL.
  var gets: [PageContext] {
    let satisfied = found.layers.filter { $0.state == .satisfied }
    let unasked = settled.flatMap { settled in
      satisfied.contains { $0.connection?.id == settled.id } ? nil : settled
    }
    return satisfied.compactMap { layer in
      guard let connection = layer.connection else { return nil }
      return [
        "name": .text(connection.name), "fields": .text(layer.fieldNames.joined(separator: ", ")),
        "signed_in_as": .text(
          ifAny: connection.kind.isServiceOwned ? nil : layer.credential?.identity.displayName),
        "of_service": .flag(connection.kind.isServiceOwned), "by_proxy": .flag(connection.kind.isNetwork),
      ]
    }
      + [unasked].compactMap(\.self).map {
        [
          "name": .text($0.name), "fields": "", "signed_in_as": .text(ifAny: settledAs), "of_service": false,
          "by_proxy": false,
        ]
      }
  }

  /// Whether a layer leaves in no answer, so that the address is called by the proxy alone.
  var isByProxy: Bool { found.layers.contains { $0.state == .satisfied && $0.connection?.kind.isNetwork == true } }

  /// Whether the app that waits gets the tokens themselves; of layers, all or none.
  var handsOutRawTokens: Bool {
    guard let client else { return true }
    let holdTokens = (found.layers.compactMap(\.connection) + toAllow + [settled].compactMap(\.self))
      .filter { !$0.kind.isNetwork }
    return !holdTokens.isEmpty
      && holdTokens.allSatisfy { client.permission(for: $0.id)?.handsOutRawTokens(of: $0) ?? false }
  }
}

extension PeelLayers.Layer {
  fileprivate var text: Words {
    guard let connection else { return "Now: no connection here answers it." }
    guard state == .satisfied else { return "Now: \(connection.name) answers it." }
    if connection.kind.isServiceOwned { return "\(connection.name) answers it with a sign-in of its own." }
    guard let person = credential?.identity.displayName else { return "Signed in to \(connection.name)." }
    return "Signed in to \(connection.name) as \(person)."
  }
}

extension Challenge {
  fileprivate var title: Words {
    switch self {
    case .network: "Network"
    case .identityAwareProxy: "Application proxy"
    case .arcGIS: "ArcGIS"
    case .accessToken, .none, .forbidden, .unknown: "Service"
    }
  }

  /// What it takes, as it stands behind “asks for”.
  fileprivate func demand(overHTTPS: Bool) -> Words {
    switch self {
    case .identityAwareProxy(let host):
      "your sign-in at \(host): an application proxy stands in front and wants to know who you are"
    case .arcGIS(let wanted):
      if let portal = wanted.portal {
        "an ArcGIS token of the portal \(portal)"
      } else {
        wanted.tokenService == nil
          ? "an ArcGIS token, and does not say whose" : "an ArcGIS token of its own, for a user name and password"
      }
    case .accessToken(let realm?): "an OAuth 2 access token (\(realm))"
    case .accessToken: "an OAuth 2 access token"
    case .network(let challenge): challenge.demand(overHTTPS: overHTTPS)
    case .none, .forbidden, .unknown: "nothing that can be shown"
    }
  }
}

extension NetworkChallenge {
  fileprivate func demand(overHTTPS: Bool) -> Words {
    switch self {
    case .clientCertificate(let authorities):
      authorities.isEmpty ? "a client certificate" : "a client certificate of \(Words.alternatives(authorities))"
    case .serverTrust: "trust in a certificate that nobody here has approved"
    case .authentication(let offers):
      if let best = AuthenticationOffer.best(of: offers, overHTTPS: overHTTPS) {
        if let realm = best.realm { "\(best.scheme.words) for “\(realm)”" } else { best.scheme.words }
      } else {
        "a password over plain http, which anybody on the way could read"
      }
    }
  }
}

extension AuthenticationOffer.Scheme {
  fileprivate var words: Words {
    switch self {
    case .negotiate: "your Kerberos sign-in (Negotiate)"
    case .digest: "a user name and password (Digest)"
    case .ntlm: "a user name and password (NTLM)"
    case .basic: "a user name and password (Basic)"
    }
  }
}
