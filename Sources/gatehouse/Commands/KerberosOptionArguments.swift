import Domain

/// The options of `connection create` for a web server that asks for Kerberos.
enum KerberosOptionArguments {
  private static let realm = Option(
    "--realm", "REALM", "For kerberos: the realm that people have their passwords in, such as NORRVIK.EXAMPLE.")
  private static let centres = Option(
    "--kdc", "HOST",
    "For kerberos: a key distribution centre of the realm, as HOST or HOST:PORT; those that /etc/krb5.conf names unless given.",
    .repeatable)

  static let all = [realm, centres]

  /// Where tickets come from; `nil` for another kind, for which nothing of it may be given.
  static func read(_ arguments: Arguments, _ kind: Connection.Kind) throws(UsageFailure) -> NetworkOptions? {
    guard kind == .kerberos else {
      if let given = all.first(where: arguments.has) {
        throw UsageFailure("\(given.name) is not for the kind \(kind.rawValue).")
      }
      return nil
    }
    var options = NetworkOptions()
    options.kerberos = KerberosOptions(
      realm: try arguments.required(realm), centres: arguments.values(of: centres))
    return options
  }
}
