import Crypto
import JOSE
import JSON
import Testing

@Suite("Vectors of the RFCs") struct RFCTests {
  static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  @Test(
    "RFC 7515 appendices A.2 and A.3 are verified",
    arguments: [
      (
        #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
          + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#, "eyJhbGciOiJFUzI1NiJ9",
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
      ),
      (
        #"{"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJ"#
          + "rcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSX"
          + "ndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFv"
          + #"UK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}"#, "eyJhbGciOiJSUzI1NiJ9",
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CU"
          + "Ar7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6"
          + "_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrB"
          + "p0igcN_IoypGlUPQGe77Rw"
      ),
    ])
  func tokens(key: String, header: String, signature: String) throws {
    let keys = JWKSet([try JWK(JSONValue(parsing: key))])
    let jws = try JWS(parsing: "\(header).\(Self.payload).\(signature)")
    let claims = try JWTClaims(jws.payload(verifiedBy: keys, allowing: [.es256, .rs256]))
    #expect(claims.issuer == "joe")
    #expect(claims.expiresAt == 1_300_819_380)
  }

  static let rsaModulus =
    "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknj"
    + "hMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQ"
    + "vRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK"
    + "nqDKgw"

  @Test(
    "thumbprints are those of RFC 7638 §3.1, RFC 8037 A.3 and RFC 9449 §6.1",
    arguments: [
      (
        #"{"kty":"RSA","n":"\#(rsaModulus)","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#,
        "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
      ),
      (
        #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
        "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
      ),
      (
        #"{"kty":"EC","crv":"P-256","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs","#
          + #""y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"}"#, "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
      ),
    ])
  func thumbprints(key: String, thumbprint: String) throws {
    #expect(Base64URL.encode(try JWK(JSONValue(parsing: key)).thumbprint) == thumbprint)
  }

  @Test("the key set of RFC 7517 A.1 gives its signature key and leaves out the one for encryption") func keySet()
    throws
  {
    let document = #"""
      {"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
      "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"enc","kid":"1"},
      {"kty":"RSA","n":"\#(Self.rsaModulus)","e":"AQAB","alg":"RS256","kid":"2011-04-29"}]}
      """#
    let keys = try JWKSet(parsing: Array(document.utf8))
    #expect(keys.keys.map(\.keyID) == ["2011-04-29"])
    #expect(try keys.key(for: "2011-04-29", algorithm: .rs256).algorithm == .rs256)
    #expect(throws: JWSFailure.unknownKey) { try keys.key(for: "2011-04-29", algorithm: .ps256) }
    #expect(throws: JWSFailure.unknownKey) { try keys.key(for: "1", algorithm: .es256) }
  }
}
