public import Domain
import Storage

extension Installation {
  /// What the portal of `face` calls the person of `account`; `nil` where they are not connected to it.
  public func portalUsername(of account: AccountID, at face: ArcGISFace) async throws -> String? {
    let id = face.connection.id
    guard let held = try await store.read({ try $0.credential(of: account, for: id) }) else { return nil }
    // An identity of a portal is an organisation and a name in it.
    return held.identity.subject.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).last.map(
      String.init)
  }
}
