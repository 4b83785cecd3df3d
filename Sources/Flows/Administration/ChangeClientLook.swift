public import Domain
import Storage

/// Gives the pages to which a client sends people a logo and a colour of its own, or takes them away.
public struct ChangeClientLook: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// One part of a look.
  public enum Part<Value: Sendable>: Sendable {
    case keep
    case remove
    case set(Value)
  }

  /// Returns the look as it is now; `administrator` is `nil` on the command line.
  ///
  /// - Throws: ``Objections``, or `Refusal` `not_found`.
  @discardableResult
  public func callAsFunction(
    _ id: ClientID, accent: Part<String>, logo: Part<[UInt8]>, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> ClientLook {
    let now = here.clock.now()
    let changed = here.recording(
      AuditEvent(
        .clientChanged, at: now, origin: visitor.origin, account: administrator, client: id, detail: "look"))
    return try await here.store.write { tx in
      guard try tx.client(id) != nil else { throw ChangeClient.unknown(id) }
      var look = try tx.look(of: id) ?? ClientLook()
      accent.apply(to: &look.accent)
      logo.apply(to: &look.logo)
      let objections = look.objections
      guard objections.isEmpty else { throw Objections(list: objections) }
      try tx.setLook(look, of: id, at: now)
      try changed(tx)
      return look
    }
  }

  /// What is wrong with a look, by field.
  public struct Objections: Error {
    public let list: [(field: String, text: String)]
  }
}

extension ChangeClientLook.Part {
  fileprivate func apply(to value: inout Value?) {
    switch self {
    case .keep: break
    case .remove: value = nil
    case .set(let new): value = new
    }
  }
}
