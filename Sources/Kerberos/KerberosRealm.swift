/// A realm, and where its tickets come from.
public struct KerberosRealm: Sendable, Hashable {
  public let name: String
  /// Key distribution centres as `host` or `host:port`; empty for those that this machine's own configuration names.
  public let centres: [String]

  /// `nil` when a name has a character that no realm or host has.
  public init?(_ name: String, centres: [String]) {
    guard Self.isRealm(name), centres.count <= 8, centres.allSatisfy(Self.isCentre) else { return nil }
    self.name = name
    self.centres = centres
  }

  private static func isRealm(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E }
  }

  private static func isCentre(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let host = parts.first, isRealm(String(host)), parts.count <= 2 else { return false }
    return parts.count == 1 || UInt16(parts[1]).map { $0 > 0 } ?? false
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// What the library is to know: these centres alone, and no name service that could name others.
  var profile: String {
    let list = centres.map { "    kdc = \($0)\n" }.joined()
    return """
      [libdefaults]
        default_realm = \(name)
        dns_lookup_kdc = false
        dns_lookup_realm = false
        dns_canonicalize_hostname = false
        rdns = false
        udp_preference_limit = 1
        kdc_timesync = 0
        forwardable = false
      [realms]
        \(name) = {
      \(list)  }

      """
  }
}

/// Whose tickets, and by what they are had.
public struct KerberosKey: Sendable {
  /// Without the realm.
  public let principal: String
  let secret: Secret

  enum Secret: Sendable {
    case password([UInt8])
    case keytab([UInt8])
  }

  public static func password(_ bytes: [UInt8], of principal: String) -> KerberosKey {
    KerberosKey(principal: principal, secret: .password(bytes))
  }

  /// The content of a keytab file.
  public static func keytab(_ bytes: [UInt8], of principal: String) -> KerberosKey {
    KerberosKey(principal: principal, secret: .keytab(bytes))
  }
}
