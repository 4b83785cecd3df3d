import Domain
import HTTP

/// The URL that an app wants to call, and how long the token shall last.
struct VendTarget {
  let resource: ResourceURL
  /// In seconds.
  let minimumLifetime: Int64

  /// Reads `resource` and `min_ttl`.
  ///
  /// - Throws: `Refusal` `invalid_request` when one is missing or malformed, `invalid_target` for several URLs or one
  ///   that is not plain.
  init(_ form: Form) throws(Refusal) {
    guard !form.isRepeated("resource") else { throw Refusal(.invalidTarget, "Name one resource at a time.") }
    guard let text = form.nonEmpty("resource") else {
      throw Refusal(.invalidRequest, "The parameter resource is missing: the URL that the app wants to call.")
    }
    guard let url = ResourceURL(text) else {
      throw Refusal(.invalidTarget, "resource is no plain http or https URL without fragment and user info.")
    }
    resource = url
    minimumLifetime = try Self.seconds(form.nonEmpty("min_ttl"))
  }

  private static func seconds(_ text: String?) throws(Refusal) -> Int64 {
    guard let text else { return 0 }
    let most = VendRequest.maximumMinimumLifetime
    guard let seconds = Int64(text), (0...most).contains(seconds) else {
      throw Refusal(.invalidRequest, "min_ttl is a number of seconds from 0 to \(most).")
    }
    return seconds
  }
}
