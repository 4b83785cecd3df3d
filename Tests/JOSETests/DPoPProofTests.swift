import JOSE
import Testing

@Suite("Proofs of a DPoP key")
struct DPoPProofTests {
  private static let header =
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0Rs"
    + "cEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2"
    + "In19"
  private static let forToken =
    header + ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rv"
    + "a2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV3"
    + "7xRZT3Lg"
  private static let forResource =
    header + ".eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9w"
    + "cm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtz"
    + "bVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"
  private static let tokenEndpoint = "https://server.example.com/token"
  private static let resource = "https://resource.example.org/protectedresource"
  private static let accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"

  private func request(
    _ method: String = "GET", _ target: String = resource, token: String? = accessToken
  ) -> DPoPProof.Request {
    DPoPProof.Request(method: method, target: target, accessToken: token, takesNonce: nil)
  }

  @Test("the examples of RFC 9449 §4.1 and §7.1 prove the key of its §6.1")
  func examples() throws {
    let first = try DPoPProof(Self.forToken, for: request("POST", Self.tokenEndpoint, token: nil), now: 1_562_262_620)
    #expect(first.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" && first.tokenID == "-BwC3ESc6acc2lTc")
    let second = try DPoPProof(Self.forResource, for: request(), now: 1_562_262_620)
    #expect(second.thumbprint == first.thumbprint && second.issuedAt == 1_562_262_618)
  }

  @Test("the same examples prove nothing for another method, URL, token or time")
  func elsewhere() {
    #expect(throws: DPoPFailure.method) { try DPoPProof(Self.forResource, for: request("POST"), now: 1_562_262_620) }
    #expect(throws: DPoPFailure.target) {
      try DPoPProof(Self.forResource, for: request("GET", Self.resource + "/x"), now: 1_562_262_620)
    }
    #expect(throws: DPoPFailure.accessToken) {
      try DPoPProof(Self.forResource, for: request(token: "another"), now: 1_562_262_620)
    }
    #expect(throws: DPoPFailure.time) { try DPoPProof(Self.forResource, for: request(), now: 1_562_262_620 + 60) }
    let touched = Self.forResource.dropLast() + "B"
    #expect(throws: DPoPFailure.self) { try DPoPProof(String(touched), for: request(), now: 1_562_262_620) }
  }
}
