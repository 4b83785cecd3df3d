import Crypto
import Domain
import FileSystem
import Flows
import HTTP
import HTTPClient
import JSON
import Logging
import Pages
@testable import SQLite
import Storage
import Testing
import Upstream

@testable import Web

/// A whole Gatehouse on an empty database of its own, asked without a socket.
final class TestInstallation: Sendable {
  static let external = "http://localhost:8080"

  let here: Installation
  let app: App
  let time = TestClock()
  let database: SQLiteDatabase
  private let kek: KeyEncryptionKey
  private let refreshing: Task<Void, Never>

  /// Opens one that believes to be reached at `external`; with `first`, a second instance on the same database file.
  init(
    external: String = TestInstallation.external, certificates: ClientCertificates = ClientCertificates(),
    registration: RegistrationPolicy = RegistrationPolicy(), published: PublishedAddresses = PublishedAddresses(),
    beside first: TestInstallation? = nil
  ) async throws {
    database = try first.map { try SQLiteDatabase.open(path: $0.database.file.path) } ?? .temporary()
    kek = first?.kek ?? .random()
    let store = Store(database)
    try await store.migrate()
    let vault = try await OpenVault.open(store, with: kek, at: time.now)
    let url = try ExternalURL(external)
    let here = try await Installation(
      issuer: url.text, store: store, vault: vault, clock: time.clock, upstreams: Upstreams(client: OutboundClient()),
      log: Logger(level: .error), providerTemplates: try Self.templates(),
      clientCertificates: certificates, registration: registration)
    self.here = here
    let look = Look(organisation: "City of Ana", stylePath: "/assets/style.css", logoPath: "/assets/logo.svg")
    app = App(
      here, external: url,
      pages: try PageLibrary(directory: Self.pages, languages: Self.pages + "/../languages"), look: look,
      published: published)
    refreshing = Task { await RefreshCredentials(here).run() }
  }

  deinit { refreshing.cancel() }

  var store: Store { here.store }

  /// `Public/pages` of the repository that this file stands in.
  private static var pages: String {
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Public/pages"
  }

  /// The templates of the repository.
  static func templates() throws -> ProviderTemplates {
    ProviderTemplates(
      try Directory.files(in: pages + "/../templates/providers").map { file in
        try ProviderTemplate(id: String(file.name.dropLast(5)), JSONValue(parsing: file.bytes))
      })
  }

  static let visitor = Visitor(requestID: "test-request", address: "127.0.0.1", userAgent: "tests")
}

// MARK: - Requests

extension TestInstallation {
  /// Sends one request, exactly as given, to the host `localhost:8080`.
  func send(
    _ method: HTTP.Method, _ target: String, headers: Headers = [], body: [UInt8] = [],
    from address: String = "127.0.0.1", certificate: [UInt8]? = nil
  ) async -> Response {
    var headers = headers
    if headers["host"] == nil { headers.set("host", "localhost:8080") }
    let path = String(target.prefix { $0 != "?" })
    var request = Request(
      method: method, target: target, path: path, headers: headers, body: body, remoteAddress: address)
    request.clientCertificate = certificate
    return await app.respond(to: request)
  }

  /// Posts a form without cookies, as an app does; `basic` is a client's id and secret for the `Authorization` header.
  func post(
    _ target: String, _ fields: QueryItems, basic: (id: String, secret: String)? = nil,
    headers more: Headers = [], from address: String = "127.0.0.1"
  ) async -> Response {
    var headers = more
    headers.set("content-type", "application/x-www-form-urlencoded")
    if let basic {
      let pair = "\(PercentCoding.encode(basic.id)):\(PercentCoding.encode(basic.secret))"
      if let value = FieldValue("Basic \(Self.base64(Array(pair.utf8)))") { headers.set("authorization", value) }
    }
    return await send(.post, target, headers: headers, body: fields.body, from: address)
  }

  static func base64(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
  }
}

// MARK: - Answers

extension Response {
  /// The body, which is not a stream.
  var text: String {
    guard case .bytes(let bytes) = body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  var location: String? { headers["location"] }
}
