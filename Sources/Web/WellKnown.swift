import Domain
import Flows
import HTTP
import JSON
import Pages

extension App {
  /// What is looked for at fixed places (RFC 8615), beside the metadata of the authorization server.
  static func wellKnownRoutes(_ desk: Desk) -> [Route] {
    let resource = PublishedDocument(resourceMetadata(desk.here), maxAge: 300)
    return [
      .api(.get, "/.well-known/oauth-protected-resource") { resource.answer($0) },
      .page(.get, "/.well-known/change-password") { _ in try desk.redirect(to: SecurityPage.password.path) },
      .api(.get, "/.well-known/security.txt") { _ in try securityContact(desk) },
    ]
  }

  /// These stand at the root of a host alone, whatever path we have.
  static let rootDocuments = ["/.well-known/change-password", "/.well-known/security.txt"]

  /// What the vending API asks for, for apps that only know its address (RFC 9728 §2).
  private static func resourceMetadata(_ here: Installation) -> [UInt8] {
    JSONWriter.object { json in
      json.member("resource", here.issuer)
      json.member("authorization_servers", [here.issuer])
      json.member("scopes_supported", [Scope.vend])
      json.member("bearer_methods_supported", ["header"])
      json.member("dpop_signing_alg_values_supported", ServerMetadata.algorithms)
      if here.clientCertificates.areTaken { json.member("tls_client_certificate_bound_access_tokens", true) }
      json.member("resource_name", "Gatehouse")
      json.member("resource_documentation", here.issuer + "/openapi.json")
    }
  }

  /// Whom to tell of a weakness (RFC 9116); good for half a year from now, since whoever runs this is asked anew.
  private static func securityContact(_ desk: Desk) throws -> Response {
    guard let contact = desk.published.securityContact else {
      throw Refusal(.notFound, "Nobody was named whom to tell of weaknesses.")
    }
    let end = desk.here.clock.now() + 180 * 24 * 60 * 60
    let text = """
      Contact: \(contact)
      Expires: \(PageContext.isoTime(end.seconds, exact: true))
      Preferred-Languages: en
      Canonical: \(desk.external.origin)/.well-known/security.txt

      """
    return Response(
      status: .ok, headers: ["content-type": "text/plain; charset=utf-8"], body: .bytes(Array(text.utf8)))
  }
}
