import Domain
import Flows
import Pages

extension SignOut.Service {
  /// What a sign-out would do with it: `name`, `host`, `plan`, `own_page`, `endless` and more.
  var slots: PageContext.Object {
    connection.slots.merging([
      "endless": .flag(credential.accessExpiresAt.isNever),
      "plan": .choice(connection.canRevoke ? SignOutPlan.revoke : connection.kind.isNetwork ? .forget : .delete),
      "own_page": .flag(hasSignOutPage),
    ])
  }
}

extension SignOut.Report {
  /// Whether nothing is left to be confirmed.
  var isComplete: Bool { !items.contains { $0.outcome == .retrying } }

  /// What became of every service, those of `kept` connections last.
  func slots(besides kept: [Connection]) -> PageContext {
    let remaining = kept.map { connection in
      connection.slots.merging([
        "result": .choice(SignOutResult.kept), "ends": .none, "endless": false, "federated_ends": .none,
        "sign_out_url": .none, "proxy_name": .none,
      ])
    }
    return .list((items.map(\.slots) + remaining).map(PageContext.object))
  }
}

extension SignOutItem {
  fileprivate var slots: PageContext.Object {
    let result: SignOutResult =
      switch outcome {
      case .revoked: .revoked
      case .retrying: .retrying
      case .deleted: .deleted
      case .forgotten: .forgotten
      }
    let ends = tokenEndsAt
    let isEndless = ends?.isNever ?? false
    return [
      "name": .text(connectionName), "host": .text(host), "result": .choice(result), "endless": .flag(isEndless),
      "ends": .time(ifAny: isEndless ? nil : ends?.seconds), "federated_ends": .time(ifAny: serverTokensEndAt?.seconds),
      "sign_out_url": upstreamSignOutURL.map(PageContext.url) ?? .none, "proxy_name": .text(ifAny: missingLayer?.name),
    ]
  }
}
