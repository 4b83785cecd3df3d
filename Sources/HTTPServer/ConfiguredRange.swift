public import HTTP

extension AddressRange {
  /// Reads what an administrator wrote: `10.0.0.0/8`, `fd00::/8`, or a single address.
  ///
  /// - Throws: ``ServerFailure/configuration(_:)`` for anything else, also for bits beyond the prefix (`10.1.0.0/8`).
  public init(configured text: String) throws(ServerFailure) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let base = IPAddress(String(first)) else {
      throw .configuration("\"\(text)\" is no address range; write one like 10.0.0.0/8 or fd00::/8")
    }
    let width = base.family == .v4 ? 32 : 128
    guard let length = parts.count == 1 ? width : Int(parts[1]), (0...width).contains(length) else {
      throw .configuration("\"\(text)\": what follows the slash must be a number from 0 to \(width)")
    }
    guard let range = AddressRange(base, length) else {
      throw .configuration(
        "\"\(text)\" has bits beyond its prefix; write \(base.network(of: length))/\(length)")
    }
    self = range
  }
}
