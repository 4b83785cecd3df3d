import CGSSAPI
import Glibc

/// Owner of one context of the Kerberos library; one thread at a time.
@safe final class KerberosContext {
  private let raw: krb5_context
  private let realm: KerberosRealm
  /// The library reads its configuration again now and then, and knows it by its path: it stays as long as the context.
  private let configuration: MemoryFile?

  /// A context that knows `realm` alone, or what this machine's configuration says of it.
  init(_ realm: KerberosRealm) throws(KerberosFailure) {
    self.realm = realm
    var context: krb5_context?
    let code: krb5_error_code
    if realm.centres.isEmpty {
      configuration = nil
      code = unsafe krb5_init_context(&context)
    } else {
      let file = try MemoryFile(Array(realm.profile.utf8))
      configuration = file
      var profile: profile_t?
      guard unsafe profile_init_path(file.path, &profile) == 0 else {
        throw .other("The configuration of the realm could not be read.")
      }
      code = unsafe krb5_init_context_profile(profile, 0, &context)
      unsafe profile_release(profile)
    }
    guard code == 0, let context = unsafe context else { throw KerberosFailure(code, "The library does not start.") }
    unsafe raw = context
  }

  deinit { unsafe krb5_free_context(raw) }

  /// Gets a ticket for `service` by `key` and keeps both in a new cache; asks a key distribution centre, and waits.
  ///
  /// - Returns: When the first of them ends, in seconds since 1970.
  func fill(_ cache: TicketCache, by key: KerberosKey, for service: String) throws(KerberosFailure) -> Int64 {
    let client = unsafe try principal("\(key.principal)@\(realm.name)")
    defer { unsafe krb5_free_principal(raw, client) }
    var initial = unsafe krb5_creds()
    unsafe try initialTicket(&initial, client, key)
    defer { unsafe krb5_free_cred_contents(raw, &initial) }
    var store: krb5_ccache?
    try check(unsafe krb5_cc_resolve(raw, cache.name, &store))
    defer { unsafe _ = krb5_cc_close(raw, store) }
    try check(unsafe krb5_cc_initialize(raw, store, client))
    try check(unsafe krb5_cc_store_cred(raw, store, &initial))
    let server = unsafe try principal("\(service)@\(realm.name)")
    defer { unsafe krb5_free_principal(raw, server) }
    var wanted = unsafe krb5_creds()
    unsafe wanted.client = client
    unsafe wanted.server = server
    var got: UnsafeMutablePointer<krb5_creds>?
    try check(unsafe krb5_get_credentials(raw, 0, store, &wanted, &got))
    defer { unsafe krb5_free_creds(raw, got) }
    let ends = unsafe [initial.times.endtime, got?.pointee.times.endtime ?? 0]
    // Unsigned, since the library counts on after 2038.
    return ends.map { Int64(UInt32(bitPattern: $0)) }.min() ?? 0
  }

  private func initialTicket(
    _ ticket: inout krb5_creds, _ client: krb5_principal, _ key: KerberosKey
  ) throws(KerberosFailure) {
    var options: UnsafeMutablePointer<krb5_get_init_creds_opt>?
    try check(unsafe krb5_get_init_creds_opt_alloc(raw, &options))
    defer { unsafe krb5_get_init_creds_opt_free(raw, options) }
    // Nobody is here to be asked for a new password.
    unsafe krb5_get_init_creds_opt_set_change_password_prompt(options, 0)
    unsafe krb5_get_init_creds_opt_set_forwardable(options, 0)
    unsafe krb5_get_init_creds_opt_set_proxiable(options, 0)
    switch key.secret {
    case .password(let bytes):
      let code = unsafe (bytes + [0]).withUnsafeBytes { password in
        unsafe krb5_get_init_creds_password(
          raw, &ticket, client, password.bindMemory(to: CChar.self).baseAddress, nil, nil, 0, nil, options)
      }
      try check(code)
    case .keytab(let bytes):
      let file = try MemoryFile(bytes)
      // The library opens it each time that it looks for a key.
      defer { withExtendedLifetime(file) {} }
      var keytab: krb5_keytab?
      try check(unsafe krb5_kt_resolve(raw, "FILE:\(file.path)", &keytab))
      defer { unsafe _ = krb5_kt_close(raw, keytab) }
      try check(unsafe krb5_get_init_creds_keytab(raw, &ticket, client, keytab, 0, nil, options))
    }
  }

  /// Wipes the tickets of a cache.
  func destroy(_ name: String) {
    var store: krb5_ccache?
    guard unsafe krb5_cc_resolve(raw, name, &store) == 0 else { return }
    unsafe _ = krb5_cc_destroy(raw, store)
  }

  private func principal(_ name: String) throws(KerberosFailure) -> krb5_principal {
    var principal: krb5_principal?
    try check(unsafe krb5_parse_name(raw, name, &principal))
    guard let principal = unsafe principal else { throw .unknownPrincipal }
    return unsafe principal
  }

  private func check(_ code: krb5_error_code) throws(KerberosFailure) {
    guard code != 0 else { return }
    let message = unsafe krb5_get_error_message(raw, code)
    defer { unsafe krb5_free_error_message(raw, message) }
    throw KerberosFailure(code, unsafe message.map { unsafe String(cString: $0) } ?? "error \(code)")
  }
}

/// Owner of a file that is in memory alone, for a library that reads files only.
private final class MemoryFile {
  private let descriptor: Int32

  init(_ bytes: [UInt8]) throws(KerberosFailure) {
    descriptor = unsafe ckrb_memory_file("kerberos")
    guard descriptor >= 0, unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
      throw .other("There is no memory for a file.")
    }
  }

  deinit { close(descriptor) }

  var path: String { "/proc/self/fd/\(descriptor)" }
}
