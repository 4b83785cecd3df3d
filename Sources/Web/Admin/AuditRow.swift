import Domain
import Flows
import Pages

extension AuditEntry {
  /// One row of the audit table.
  var slots: PageContext {
    let details = [event.resource, event.detail].compactMap(\.self)
    let base: PageContext.Object = [
      "time": .time(event.at.seconds, exact: true), "event": .text(event.name.rawValue),
      "words": .text(event.name.words),
      "detail": details.isEmpty ? .none : .text(details.joined(separator: ", ")),
      "reference": .text(ifAny: event.origin.requestID.isEmpty ? nil : event.origin.requestID),
      "refused": .flag(event.outcome == .failure),
    ]
    return .object(base.merging(who).merging(about))
  }

  /// Who did it, and from where.
  private var who: PageContext.Object {
    let isOwnMachine = event.origin == .commandLine || event.origin == .system
    var slots: PageContext.Object = [
      "by_account": .none, "by_client": .none, "by": .none, "by_administrator": .flag(isByAdministrator),
      "address": .text(ifAny: isOwnMachine || event.origin.address.isEmpty ? nil : event.origin.address),
    ]
    switch event.actor {
    case .account(let id): slots["by_account"] = .text(id.text)
    case .client(let id): slots["by_client"] = .text(id.text)
    case .upstream, .commandLine, .system, .unknown: break
    }
    slots["by"] = .text(actor ?? event.actor.words)
    return slots
  }

  /// What it was done to, without whoever did it.
  private var about: PageContext.Object {
    let aboutAccount = event.account.flatMap { event.actor == .account($0) ? nil : $0 }
    let aboutClient = event.client.flatMap { event.actor == .client($0) ? nil : $0 }
    return [
      "account": .text(ifAny: aboutAccount == nil ? nil : account), "account_id": .text(ifAny: aboutAccount?.text),
      "client": .text(ifAny: aboutClient == nil ? nil : client), "client_id": .text(ifAny: aboutClient?.text),
      "connection": .text(ifAny: connection), "connection_id": .text(ifAny: event.connection?.text),
    ]
  }
}

extension AuditEvent.Actor {
  /// Who it is when that is no account and no client.
  fileprivate var words: String {
    switch self {
    case .account, .client, .upstream, .unknown: "Unknown"
    case .commandLine: "Command line"
    case .system: "Gatehouse"
    }
  }
}
