import Domain
import Flows
import HTTP

/// Where apps send a browser to sign in to the portal of a connection, and out: our own pages, asked in ArcGIS's words.
struct ArcGISAuthorize: Sendable {
  private let desk: Desk
  private let authorize: AuthorizeEndpoint
  private let passwords: ArcGISPasswordSignIn

  init(_ desk: Desk) {
    self.desk = desk
    authorize = AuthorizeEndpoint(desk)
    passwords = ArcGISPasswordSignIn(desk)
  }

  func get(_ call: Call) async throws -> Response {
    guard let face = try await desk.here.arcGISFace(try call.faceID()) else { throw Self.noPortal }
    guard face.connection.kind != .oauthApplication else {
      throw Refusal(.accessDenied, "\(face.connection.name) has no people: apps sign in to it with their secret.")
    }
    let query = try call.query()
    do {
      var parameters = try Self.parameters(query, face)
      if let client = try await passwords.clientOfReadCode(query, face) {
        parameters.clientID = client.id.text
        parameters.isReadFromPage = true
      } else if let page = try await passwords.page(query, face, call) {
        return page
      }
      return try await authorize.begin(
        parameters, call.request.method == .get ? try await desk.person(call) : nil, call)
    } catch let refusal as Refusal {
      // Clients look for these words in the page.
      switch refusal.code {
      case _ where refusal.description.contains("Invalid "): throw refusal
      case .invalidClient: throw Refusal(.invalidClient, "Error: Invalid client_id. \(refusal.description)")
      case .invalidRequest where refusal.description.contains("redirect_uri"):
        throw Refusal(.invalidRequest, "Invalid redirect_uri. \(Self.redirectAdvice(query) ?? refusal.description)")
      default: throw refusal
      }
    }
  }

  static let noPortal = Refusal(
    .notFound, "There is no ArcGIS portal at this address. Its path begins with the name of a connection.")

  private static func redirectAdvice(_ query: Form) -> String? {
    guard query.nonEmpty("redirect_uri") == ArcGISFace.outOfBand else { return nil }
    return "Codes to be copied by hand (\(ArcGISFace.outOfBand)) are not offered, unless an administrator allows app "
      + "passwords for this portal: register a redirect URI of the app's own."
  }

  private static func parameters(_ form: Form, _ face: ArcGISFace) throws -> BeginAuthorization.Parameters {
    var parameters = BeginAuthorization.Parameters()
    parameters.clientID = form.nonEmpty("client_id")
    parameters.redirectURI = form.nonEmpty("redirect_uri")
    parameters.responseType = form.nonEmpty("response_type")
    parameters.scope = face.scope.text
    parameters.state = form.nonEmpty("state")
    parameters.codeChallenge = form.nonEmpty("code_challenge")
    parameters.codeChallengeMethod = form.nonEmpty("code_challenge_method")
    parameters.prompt = form["force_login"] == "true" ? "login" : nil
    parameters.openID.loginHint = form.nonEmpty("prepopulatedusername")
    parameters.lasts = try lasts(form.nonEmpty("expiration"))
    return parameters
  }

  /// Two weeks unless the app says otherwise; -1 is the longest.
  static func lasts(_ minutes: String?) throws(Refusal) -> Int64? {
    guard let minutes else { return 20_160 * 60 }
    if minutes == "-1" { return nil }
    guard let number = Int64(minutes), (1...10_000_000).contains(number) else {
      throw Refusal(.invalidRequest, "expiration is a whole number of minutes, or -1 for the longest time.")
    }
    return number * 60
  }

  /// Leads to our own page for it, which knows what the app may ask for.
  func signOut(_ call: Call) async throws -> Response {
    let query = try call.query()
    let items: QueryItems = [
      "client_id": query.nonEmpty("client_id"), "post_logout_redirect_uri": query.nonEmpty("redirect_uri"),
    ]
    return try desk.redirect(to: items.appended(to: "/oauth2/end_session"))
  }
}

extension Call {
  /// The connection that stands first in the path of a portal; `nil` at the root.
  ///
  /// - Throws: `Refusal` `not_found`.
  func faceID() throws -> ConnectionID? { segments["connection"] == nil ? nil : try connectionID() }
}
