import Domain
import Flows
import HTTP

/// The app behind a request that carries one of our access tokens or an API key.
struct AppCaller: Sendable {
  private let here: Installation
  private let bearer: BearerCaller

  init(_ here: Installation) {
    self.here = here
    bearer = BearerCaller(here)
  }

  enum Outcome {
    case caller(VendCaller)
    /// The request carries neither.
    case challenge(Response)
  }

  /// Finds the caller; a token or key in the query is never used.
  ///
  /// Whether a token has ended before its time is for the endpoint to ask, as with ``BearerCaller``; a key is counted.
  /// - Throws: `Refusal` as ``BearerCaller`` and `AuthenticateAPIKey` do.
  func callAsFunction(_ call: Call) async throws -> Outcome {
    if let key = try await key(call) { return .caller(.key(key)) }
    switch try await bearer(call) {
    case .challenge(let response): return .challenge(response)
    case .caller(let claims): return .caller(.token(claims))
    }
  }

  /// The API key of a request; `nil` when it shows none.
  func key(_ call: Call) async throws -> ClientAPIKey? {
    guard let shown = try shownKey(call) else { return nil }
    let authenticate = AuthenticateAPIKey(here)
    if let known = try authenticate.atOnce(shown) { return known.key }
    return try await authenticate(shown, call.visitor).key
  }

  /// What a request shows as an API key; `nil` when it shows none.
  ///
  /// - Throws: `Refusal` `invalid_request` for one in the URL, or beside another or a token.
  func shownKey(_ call: Call) throws(Refusal) -> AuthenticateAPIKey.Shown? {
    let headers = call.request.headers
    guard !Self.holdsKey(call.request.target) else { throw Self.inQuery }
    var own = headers.values(of: Self.field)
    // Beside a token the field may be meant for somebody else; it goes no further in any case.
    let fields = headers.values(of: "authorization")
    if !fields.isEmpty { own.removeAll { !AuthenticateAPIKey.isMeant(by: $0) } }
    let field = fields.count == 1 ? fields[0] : nil
    let authorization = field.flatMap { Self.mayHoldKey($0) ? AuthorizationField($0) : nil }
    let shown = authorization?.credential
    guard own.count + (fields.isEmpty ? 0 : 1) <= 1 else {
      guard own.isEmpty, shown == nil else { throw Self.several }
      return nil
    }
    guard let text = own.first ?? shown else { return nil }
    if let authorization, shown != nil, authorization.scheme != "bearer" { throw Self.several }
    return .init(text, referrer: headers.single("referer"), address: call.request.remoteAddress)
  }

  static let field: FieldName = "x-api-key"

  /// By its beginning, so that a token is not read twice.
  private static func mayHoldKey(_ authorization: String) -> Bool {
    AuthenticateAPIKey.isMeant(by: authorization[...].drop { $0 != " " }.drop { $0 == " " })
  }

  /// Whether a key stands in a URL, in any spelling of it.
  private static func holdsKey(_ target: String) -> Bool {
    if AuthenticateAPIKey.isMeant(within: target[...]) { return true }
    guard target.utf8.contains(UInt8(ascii: "%")), let bytes = PercentCoding.decode(target) else { return false }
    return AuthenticateAPIKey.isMeant(within: Substring(String(decoding: bytes, as: UTF8.self)))
  }

  private static let inQuery = Refusal(
    .invalidRequest, "An API key does not belong in a URL, which logs keep: send it as X-API-Key, and make another one."
  )

  private static let several = Refusal(
    .invalidRequest, "Send one API key, as X-API-Key or as Authorization: Bearer, and no token beside it.")
}
