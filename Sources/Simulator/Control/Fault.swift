internal import JSON

/// A way in which calls go wrong on purpose.
struct Fault: Sendable, Equatable {
  enum Kind: String, Sendable, CaseIterable {
    /// Acts at once and answers `value` milliseconds later.
    case delay
    /// Does nothing and answers with the HTTP status `value`.
    case status
    /// Does nothing and answers bytes that are no JSON, called JSON.
    case garbage
    /// Does nothing and answers a page, as a web tier in front would.
    case html
    /// Acts, then sends half of the answer and cuts the connection.
    case truncate
    /// Does nothing and cuts the connection.
    case drop
    /// Acts, then cuts the connection without an answer.
    case dropAfter = "drop-after"
    /// Does nothing and answers that the token is no longer valid.
    case refuse
  }

  /// The endpoint's name in the counters, or `*` for every one.
  let endpoint: String
  let kind: Kind
  let value: Int
  /// How many calls it still meets; `nil` until it is deleted.
  var remaining: Int?

  /// `refuse` on all of `token` means refreshes only: a code cannot have been revoked before it is redeemed.
  func meets(_ names: [String]) -> Bool {
    guard endpoint == "*" || names.contains(endpoint) else { return false }
    guard kind == .refuse, let name = names.first,
      [Endpoint.token, .loginToken].contains(where: { $0.rawValue == name }), !names.dropFirst().contains(endpoint)
    else { return true }
    return names.contains("\(name).refresh_token") || names.contains("\(name).exchange_refresh_token")
  }

  var json: JSONValue {
    [
      "endpoint": .string(endpoint), "kind": .string(kind.rawValue), "value": .integer(Int64(value)),
      "times": remaining.map { .integer(Int64($0)) } ?? .null,
    ]
  }
}

/// The faults that are set; the first that meets a call acts.
struct FaultList: Sendable {
  private var faults: [Fault] = []

  /// Adds a fault, in place of one of the same kind at the same endpoint.
  mutating func set(_ fault: Fault) {
    faults.removeAll { $0.endpoint == fault.endpoint && $0.kind == fault.kind }
    if fault.remaining != 0 { faults.append(fault) }
  }

  mutating func removeAll() { faults.removeAll() }

  /// The fault that acts on a call of these names; uses up one of its times.
  mutating func take(_ names: [String]) -> Fault? {
    guard let index = faults.firstIndex(where: { $0.meets(names) }) else { return nil }
    let fault = faults[index]
    if let remaining = fault.remaining { faults[index].remaining = remaining - 1 }
    if faults[index].remaining == 0 { faults.remove(at: index) }
    return fault
  }

  var json: JSONValue { .array(faults.map(\.json)) }
}
