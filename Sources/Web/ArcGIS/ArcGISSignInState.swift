import Domain
import Flows
import HTTP
import JSON

/// What an app asked for that signs its person in with an app password: goes to the app and comes back with the password,
/// signed, so that nothing of it is kept here.
struct ArcGISSignInState: Sendable {
  enum Wish: String, Sendable {
    /// A token in the fragment of the redirect URI (RFC 6749 §4.2).
    case token
    case code
  }

  let wish: Wish
  /// As the app named it: a client's id, or a fixed one of ArcGIS.
  let client: String
  let redirectURI: String
  let state: String?
  let challenge: String?
  /// Seconds for which the app wants to go on without the password; `nil` for as long as it may.
  let lasts: Int64?
  let expiresAt: Timestamp

  init(
    _ wish: Wish, client: String, redirectURI: String, state: String?, challenge: String?, lasts: Int64?,
    expiresAt: Timestamp
  ) {
    self.wish = wish
    self.client = client
    self.redirectURI = redirectURI
    self.state = state
    self.challenge = challenge
    self.lasts = lasts
    self.expiresAt = expiresAt
  }

  /// In characters that mean nothing in HTML, JSON and forms.
  func text(at face: ArcGISFace, _ here: Installation) -> String {
    let json = JSONWriter.object { json in
      json.member("wish", wish.rawValue)
      json.member("client", client)
      json.member("redirect", redirectURI)
      json.member("state", ifPresent: state)
      json.member("challenge", ifPresent: challenge)
      json.member("lasts", ifPresent: lasts)
      json.member("expires", expiresAt.seconds)
    }
    return here.signed(String(decoding: json, as: UTF8.self), for: Self.purpose(face))
  }

  /// Takes what an app sent back; `nil` for one that was not made for this portal, was changed, or has expired.
  init?(_ text: String, at face: ArcGISFace, _ here: Installation) {
    guard
      let json = here.signedText(text, for: Self.purpose(face)).flatMap({ try? JSONValue(parsing: Array($0.utf8)) }),
      let wish = json.string("wish").flatMap(Wish.init), let client = json.string("client"),
      let redirectURI = json.string("redirect"), let expires = json.integer("expires"),
      here.clock.now() < Timestamp(seconds: expires)
    else { return nil }
    self.init(
      wish, client: client, redirectURI: redirectURI, state: json.string("state"), challenge: json.string("challenge"),
      lasts: json.integer("lasts"), expiresAt: Timestamp(seconds: expires))
  }

  private static func purpose(_ face: ArcGISFace) -> String { "ArcGIS sign-in \(face.connection.id)" }
}
