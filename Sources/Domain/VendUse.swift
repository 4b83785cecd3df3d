/// Who takes what, and at whose account: what vends are counted by.
public struct VendUse: Sendable, Hashable {
  public let client: ClientID
  /// The API key that was shown; `nil` where the client proved who it is in another way.
  public let key: APIKeyID?
  /// `nil` where none covers what was asked for.
  public let connection: ConnectionID?
  /// Whose credential it was, or would have been: a person's, or Gatehouse's own (``Account/service``).
  ///
  /// `nil` where too many were counted on one day to tell them apart.
  public let account: AccountID?
  /// As ``ResourceURL/service``; `nil` where no connection covers it, or too many were counted on one day.
  public let resource: String?

  public init(
    client: ClientID, key: APIKeyID?, connection: ConnectionID?, account: AccountID?, resource: String?
  ) {
    self.client = client
    self.key = key
    self.connection = connection
    self.account = account
    self.resource = resource
  }

  /// The same without what there can be most of; with neither `account` nor resource in the end.
  public func coarser(keepsAccount: Bool) -> VendUse {
    VendUse(client: client, key: key, connection: connection, account: keepsAccount ? account : nil, resource: nil)
  }

  /// Days that are kept: a year and a month to compare with.
  public static let daysKept: Int64 = 396

  /// Days since 1970, in UTC.
  public static func day(of now: Timestamp) -> Int64 { now.seconds / 86_400 }
}

extension ResourceURL {
  /// In bytes.
  private static let longestService = 300

  /// What uses are counted by, so that thousands of tiles and features count as the service that they belong to: up to
  /// the ArcGIS service, and elsewhere up to the third segment of the path.
  public var service: String {
    let segments = path.utf8.split(separator: UInt8(ascii: "/"))
    var kept = 3
    if let root = segments.indices.dropFirst().first(where: {
      segments[$0].elementsEqual("services".utf8) && segments[$0 - 1].elementsEqual("rest".utf8)
    }) {
      let named = segments.indices.first { $0 > root && segments[$0].hasSuffix("Server".utf8) }
      kept = named.map { $0 + 1 } ?? max(kept, root + 1)
    }
    guard let last = segments.prefix(kept).last else { return origin }
    let text = origin + path[..<last.endIndex]
    return text.utf8.count <= Self.longestService ? text : origin
  }
}

extension Substring.UTF8View {
  fileprivate func hasSuffix(_ end: String.UTF8View) -> Bool { suffix(end.count).elementsEqual(end) }
}
