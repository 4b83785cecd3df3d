internal import COpenSSL

/// What opening a PKCS #12 file costs, read from its structure alone, and the walk through that structure.
@unsafe enum PKCS12Cost {
  /// Three keys of 600,000 rounds each, what careful programs write, and some room; a second or two.
  static let most: UInt64 = 3_000_000

  /// The rounds of the MAC and of everything that is encrypted at the outermost level.
  static func rounds(of file: OpaquePointer) -> UInt64 {
    var total: UInt64 = 0
    func add(_ rounds: UInt64) { total = total.addingReportingOverflow(rounds).overflow ? .max : total + rounds }
    var iterations: UnsafePointer<ASN1_INTEGER>?
    unsafe PKCS12_get0_mac(nil, nil, nil, &iterations, file)
    if let iterations = unsafe iterations { add(unsafe number(iterations)) }
    _ = unsafe withSafes(of: file) { safe in
      if let bags = unsafe bags(in: safe) {
        defer { unsafe free(bags: bags) }
        _ = unsafe contains(bags) { bag in
          if unsafe PKCS12_SAFEBAG_get_nid(bag) == NID_pkcs8ShroudedKeyBag,
            let sealed = unsafe PKCS12_SAFEBAG_get0_pkcs8(bag)
          {
            var algorithm: UnsafePointer<X509_ALGOR>?
            unsafe X509_SIG_get0(sealed, &algorithm, nil)
            add(unsafe rounds(algorithm))
          }
          return false
        }
      } else {
        add(unsafe rounds(copenssl_encryption_of(safe)))
      }
      return false
    }
    return total
  }

  /// Whether `body` says so of one of the file's safes.
  static func withSafes(of file: OpaquePointer, _ body: (UnsafeMutablePointer<PKCS7>) -> Bool) -> Bool {
    guard let safes = unsafe PKCS12_unpack_authsafes(file) else { return false }
    defer {
      unsafe OPENSSL_sk_pop_free(safes) { unsafe PKCS7_free($0?.assumingMemoryBound(to: PKCS7.self)) }
    }
    for place in 0..<max(0, unsafe OPENSSL_sk_num(safes)) {
      let safe = unsafe OPENSSL_sk_value(safes, place)?.assumingMemoryBound(to: PKCS7.self)
      if let safe = unsafe safe, unsafe body(safe) { return true }
    }
    return false
  }

  /// What stands in a safe that is not encrypted; `nil` for one that is.
  static func bags(in safe: UnsafeMutablePointer<PKCS7>) -> OpaquePointer? {
    unsafe OBJ_obj2nid(safe.pointee.type) == NID_pkcs7_data ? PKCS12_unpack_p7data(safe) : nil
  }

  static func contains(_ bags: OpaquePointer, _ body: (OpaquePointer) -> Bool) -> Bool {
    for place in 0..<max(0, unsafe OPENSSL_sk_num(bags)) {
      if let bag = unsafe OPENSSL_sk_value(bags, place), unsafe body(OpaquePointer(bag)) { return true }
    }
    return false
  }

  static func free(bags: OpaquePointer) {
    unsafe OPENSSL_sk_pop_free(bags) { unsafe PKCS12_SAFEBAG_free($0.map { OpaquePointer($0) }) }
  }

  /// The rounds that an algorithm of password-based encryption names: of PKCS #12, or PBES2 (RFC 8018 §6.2).
  private static func rounds(_ algorithm: UnsafePointer<X509_ALGOR>?) -> UInt64 {
    guard let algorithm = unsafe algorithm, let parameter = unsafe algorithm.pointee.parameter else { return 0 }
    switch unsafe OBJ_obj2nid(algorithm.pointee.algorithm) {
    case NID_pbes2:
      return unsafe unpacked(parameter, PBE2PARAM_it(), as: PBE2PARAM.self) { unsafe rounds($0.pointee.keyfunc) }
    case NID_id_pbkdf2:
      return unsafe unpacked(parameter, PBKDF2PARAM_it(), as: PBKDF2PARAM.self) { unsafe number($0.pointee.iter) }
    case NID_id_scrypt:
      return unsafe unpacked(parameter, SCRYPT_PARAMS_it(), as: SCRYPT_PARAMS.self) { scrypt in
        let factors = unsafe [
          number(scrypt.pointee.costParameter), number(scrypt.pointee.blockSize),
          number(scrypt.pointee.parallelizationParameter),
        ]
        return factors.reduce(1) { product, factor in
          let (result, overflow) = product.multipliedReportingOverflow(by: factor)
          return overflow ? .max : result
        }
      }
    default:
      return unsafe unpacked(parameter, PBEPARAM_it(), as: PBEPARAM.self) { unsafe number($0.pointee.iter) }
    }
  }

  /// What `body` finds in the parameters; nothing in malformed ones, which nobody can decrypt either.
  private static func unpacked<T>(
    _ parameter: UnsafeMutablePointer<ASN1_TYPE>, _ item: OpaquePointer?, as type: T.Type,
    _ body: (UnsafeMutablePointer<T>) -> UInt64
  ) -> UInt64 {
    guard let found = unsafe ASN1_TYPE_unpack_sequence(item, parameter) else {
      ERR_clear_error()
      return 0
    }
    defer { unsafe ASN1_item_free(OpaquePointer(found), item) }
    return unsafe body(found.assumingMemoryBound(to: type))
  }

  /// A count; one that is negative or too long for a number is as large as any.
  private static func number(_ integer: UnsafePointer<ASN1_INTEGER>?) -> UInt64 {
    var value: UInt64 = 0
    guard let integer = unsafe integer, unsafe ASN1_INTEGER_get_uint64(&value, integer) == 1 else {
      ERR_clear_error()
      return .max
    }
    return value
  }
}
