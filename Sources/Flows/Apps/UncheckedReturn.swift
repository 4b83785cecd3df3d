public import Domain

/// A way back to an app that nobody here has checked: a person takes it, never a redirect by itself (RFC 9700 §4.11.2).
///
/// Or else whoever registers an app could send people anywhere by links that begin with our name.
public struct UncheckedReturn: Sendable {
  public let client: Client
  public let redirectURI: String
  /// Why the app's request cannot be answered.
  public let refusal: Refusal
  /// How the app is told so.
  public let response: AuthorizationResponse
}
