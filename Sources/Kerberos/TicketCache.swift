import CGSSAPI

/// Owner of one cache of tickets in memory, which is destroyed with it.
final class TicketCache: Sendable {
  /// Known to the library alone, and to this process.
  let name: String
  private let realm: KerberosRealm

  init(_ realm: KerberosRealm) {
    self.realm = realm
    name = "MEMORY:\(UInt64.random(in: 0 ... .max))-\(UInt64.random(in: 0 ... .max))"
  }

  deinit {
    do throws(KerberosFailure) { try KerberosContext(realm).destroy(name) } catch {
      // Without a context there was none to keep tickets with.
    }
  }

  /// The token that a request to `service` carries, made new each time of the tickets here; asks nobody.
  func proof(for service: String) throws(KerberosFailure) -> [UInt8] {
    let credential = try GSSCredential(cache: name)
    return try credential.token(for: "\(service)@\(realm.name)")
  }
}

/// Owner of one GSSAPI credential that stands for the tickets of a cache.
@safe private final class GSSCredential {
  private var raw: gss_cred_id_t?

  init(cache: String) throws(KerberosFailure) {
    var minor: OM_uint32 = 0
    var mechanisms = unsafe gss_OID_set_desc(count: 1, elements: cgss_spnego())
    var credential: gss_cred_id_t?
    let major = unsafe cache.withCString { cache in
      unsafe "ccache".withCString { key in
        var element = unsafe gss_key_value_element_desc(key: key, value: cache)
        return unsafe withUnsafeMutablePointer(to: &element) { element in
          var store = unsafe gss_key_value_set_desc(count: 1, elements: element)
          return unsafe gss_acquire_cred_from(
            &minor, nil, 0, &mechanisms, gss_cred_usage_t(GSS_C_INITIATE), &store, &credential, nil, nil)
        }
      }
    }
    unsafe raw = credential
    try Self.check(major, minor)
    // SPNEGO would also offer what else is installed.
    var kerberos = unsafe gss_OID_set_desc(count: 1, elements: cgss_kerberos())
    try Self.check(unsafe gss_set_neg_mechs(&minor, raw, &kerberos), minor)
  }

  deinit {
    var minor: OM_uint32 = 0
    unsafe _ = gss_release_cred(&minor, &raw)
  }

  func token(for principal: String) throws(KerberosFailure) -> [UInt8] {
    var minor: OM_uint32 = 0
    var name: gss_name_t?
    var bytes = Array(principal.utf8)
    let count = bytes.count
    let imported = unsafe bytes.withUnsafeMutableBytes { text in
      var buffer = unsafe gss_buffer_desc(length: count, value: text.baseAddress)
      return unsafe gss_import_name(&minor, &buffer, cgss_principal_name(), &name)
    }
    defer { unsafe _ = gss_release_name(&minor, &name) }
    try Self.check(imported, minor)
    var context: gss_ctx_id_t?
    defer { unsafe _ = gss_delete_sec_context(&minor, &context, nil) }
    var token = unsafe gss_buffer_desc()
    defer { unsafe _ = gss_release_buffer(&minor, &token) }
    // Neither delegation nor an answer is asked for: one token is all.
    let major = unsafe gss_init_sec_context(
      &minor, raw, &context, name, cgss_spnego(), 0, 0, nil, nil, nil, &token, nil, nil)
    try Self.check(major, minor)
    return unsafe Array(UnsafeRawBufferPointer(start: token.value, count: token.length))
  }

  private static func check(_ major: OM_uint32, _ minor: OM_uint32) throws(KerberosFailure) {
    guard cgss_failed(major) != 0 else { return }
    var (ignored, more): (OM_uint32, OM_uint32) = (0, 0)
    var text = unsafe gss_buffer_desc()
    defer { unsafe _ = gss_release_buffer(&ignored, &text) }
    unsafe _ = gss_display_status(&ignored, minor, GSS_C_MECH_CODE, cgss_spnego(), &more, &text)
    let words = unsafe String(decoding: UnsafeRawBufferPointer(start: text.value, count: text.length), as: UTF8.self)
    throw KerberosFailure(krb5_error_code(bitPattern: minor), words)
  }
}
