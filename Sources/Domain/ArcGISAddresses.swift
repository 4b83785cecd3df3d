/// The addresses here of what one answer names, which is much at few places: what is known of a folder holds for all that
/// stands in it.
public struct ArcGISAddresses {
  private let face: ArcGISFace
  private let namesServers: Bool
  /// By folders with their slash: their address here; `nil` where nothing says that what is in them has one.
  private var folders: [Substring: String?] = [:]
  /// Scheme and host of URLs of which the connection covers none.
  private var strangers: Set<Substring> = []

  private static let capacity = 64

  /// With `namesServers` the answer names the roots of servers, too.
  public init(_ face: ArcGISFace, namesServers: Bool = false) {
    self.face = face
    self.namesServers = namesServers
  }

  /// As ``ArcGISFace/address(of:isServer:)`` says.
  public mutating func address(of named: String) -> String? {
    guard let parts = Parts(named) else { return face.address(of: named, isServer: namesServers) }
    if strangers.contains(parts.origin) { return nil }
    if let last = parts.plainLast, let known = known(parts.folder) { return known + last }
    let address = face.address(of: named, isServer: namesServers)
    if address == nil, !face.hasResources(at: parts.origin) {
      if strangers.count == Self.capacity { strangers.removeAll() }
      strangers.insert(parts.origin)
    }
    return address
  }

  private mutating func known(_ folder: Substring) -> String? {
    if let known = folders[folder] { return known }
    if folders.count == Self.capacity { folders.removeAll() }
    let address = face.addressOfFolder(String(folder))
    folders[folder] = .some(address)
    return address
  }

  /// A URL cut where what is known of one can hold for another.
  private struct Parts {
    /// With the scheme, and without the slash behind the host.
    let origin: Substring
    /// All up to the last slash of the path, which it holds.
    let folder: Substring
    /// What stands behind it, where that cannot change what the folder is.
    let plainLast: Substring?

    /// `nil` for what has no path.
    init?(_ named: String) {
      let bytes = named.utf8
      guard bytes.count <= 2048, let scheme = bytes.firstIndex(of: UInt8(ascii: "/")),
        let host = bytes.index(scheme, offsetBy: 2, limitedBy: bytes.endIndex),
        let path = bytes[host...].firstIndex(of: UInt8(ascii: "/")),
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
      else { return nil }
      origin = named[..<path]
      folder = named[...slash]
      let last = named[named.utf8.index(after: slash)...]
      let isPlain =
        last.utf8.allSatisfy(Self.isPlain) && !folder.utf8.contains { Self.ends.contains($0) }
        && !Connection.isSecretEndpoint(last)
      plainLast = isPlain ? last : nil
    }

    /// Behind these there is no path, or it is no URL yet.
    private static let ends = Array("?#{".utf8)

    private static func isPlain(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == UInt8(ascii: "_")
    }
  }
}

extension ArcGISFace {
  /// The address here of a folder in which everything with a plain name is passed on; `nil` where that depends on the name.
  fileprivate func addressOfFolder(_ folder: String) -> String? {
    // A name that means nothing to anybody.
    guard let address = address(of: folder), address.hasSuffix("/"), self.address(of: folder + "a0") == address + "a0"
    else { return nil }
    return address
  }

  /// Whether the connection covers anything there, by either scheme.
  fileprivate func hasResources(at origin: Substring) -> Bool {
    guard let url = ResourceURL("\(origin)/") else { return false }
    return [url, url.byOtherScheme].compactMap(\.self).contains { url in
      connection.resources.contains { $0.isAt(url) }
    }
  }
}
