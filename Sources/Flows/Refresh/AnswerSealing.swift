import Domain
import JSON
import Upstream

extension UpstreamAnswer {
  /// The raw answer as the journal keeps it.
  var sealable: Secret {
    Secret(
      JSONWriter.object { json in
        json.member("status", status)
        json.member("body", body.revealedText)
        json.member("asked_at", askedAt.seconds)
        json.member("retry_after", ifPresent: retryAfter)
      })
  }

  /// Reads what ``sealable`` wrote.
  init(unsealed: Secret) throws {
    let json = try JSONValue(parsing: unsealed.revealed)
    guard let status = json.integer("status"), let body = json.string("body"), let askedAt = json.integer("asked_at")
    else { throw KeyFailure.notAuthentic }
    self.init(
      status: Int(status), body: Secret(body), askedAt: Timestamp(seconds: askedAt),
      retryAfter: json.integer("retry_after"))
  }
}
