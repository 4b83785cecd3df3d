import Domain
import Testing

@Test(
  "Of the offered schemes the strongest is taken, and Basic over https alone",
  arguments: [
    ([.basic, .ntlm, .digest, .negotiate], true, .negotiate), ([.basic, .ntlm, .digest], true, .digest),
    ([.basic, .ntlm], true, .ntlm), ([.basic], true, .basic), ([.basic], false, nil), ([.basic, .ntlm], false, .ntlm),
    ([], true, nil),
  ] as [([AuthenticationOffer.Scheme], Bool, AuthenticationOffer.Scheme?)])
func bestScheme(
  offered: [AuthenticationOffer.Scheme], overHTTPS: Bool, expected: AuthenticationOffer.Scheme?
) {
  let offers = offered.map { AuthenticationOffer($0, realm: "gis") }
  #expect(AuthenticationOffer.best(of: offers, overHTTPS: overHTTPS)?.scheme == expected)
}
