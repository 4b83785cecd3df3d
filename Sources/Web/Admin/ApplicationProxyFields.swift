import Domain
import Flows
import HTTP

/// What the form for a new connection asks about an application proxy: the SDKs' file as it is, or what stands in it.
struct ApplicationProxyFields: Sendable {
  static let textFields = ["config", "tenant", "authorize_url", "token_url", "logout_url", "tenants"]
  static let prompts = ["none", "login", "consent", "select_account"]
  private static let addresses = ["authorize_url", "token_url", "logout_url"]

  private let posted: Form
  /// What the upstream is named by.
  let originField: String
  /// `nil` when something is wrong with it.
  private(set) var configuration: IAPConfiguration?
  private(set) var objections: [(field: String, text: String)] = []

  init(_ posted: Form) {
    self.posted = posted
    originField = ["config", "tenant"].first { !Self.text($0, posted).isEmpty } ?? "authorize_url"
    switch originField {
    case "config": readFile()
    case "tenant": readTenant()
    default: readAddresses()
    }
  }

  var allowsEveryHost: Bool { posted["every_host"] == "1" }

  var tenants: [String] { (posted["tenants"] ?? "").filledLines.map { $0.lowercased() } }

  /// Whether a pasted file holds a secret, which never goes back to the browser.
  static func holdsSecret(_ posted: Form) -> Bool { text("config", posted).contains("client_secret") }

  private mutating func readFile() {
    leaveEmpty(["tenant"] + Self.addresses + ["client_id", "scopes", "prompt"], "it stands in the file.")
    do throws(IAPConfiguration.Failure) {
      configuration = try IAPConfigurationFile.read(
        Array(Self.text("config", posted).utf8), allowsEveryHost: allowsEveryHost)
    } catch {
      objections += error.objections.map { ("config", $0.description) }
    }
  }

  private mutating func readTenant() {
    leaveEmpty(Self.addresses, "the tenant names it.")
    guard let addresses = IAPConfiguration.addresses(ofTenant: Self.text("tenant", posted)) else {
      objections.append(
        ("tenant", "Enter the tenant’s ID, which is a GUID, or one of its domains, such as contoso.com."))
      return
    }
    read(addresses)
  }

  private mutating func readAddresses() {
    let typed = Self.addresses.map { ($0, Self.text($0, posted)) }
    guard typed.contains(where: { !$0.1.isEmpty }) else {
      objections.append(("config", "Paste the configuration file, or name the tenant."))
      return
    }
    read(Dictionary(typed.map { ($0, .text($1)) }) { first, _ in first })
  }

  private mutating func read(_ addresses: [String: IAPConfiguration.Member]) {
    do throws(IAPConfiguration.Failure) {
      configuration = try IAPConfiguration.typed(
        addresses, clientID: Self.text("client_id", posted),
        scopes: Self.text("scopes", posted).split { $0.isWhitespace }.map(String.init),
        prompt: Self.text("prompt", posted))
    } catch {
      objections += error.objections.map { objection in
        let (field, subject) = objection.key.flatMap { Self.fields[$0] } ?? (originField, "This")
        return (field, "\(subject) \(objection.text)")
      }
    }
  }

  /// The fields of a file's keys, with what begins a sentence about them.
  private static let fields = [
    "authorize_url": ("authorize_url", "The sign-in address"), "token_url": ("token_url", "The token address"),
    "logout_url": ("logout_url", "The sign-out address"), "client_id": ("client_id", "The client ID"),
    "scope": ("scopes", "The list of scopes"), "authorization_prompt_type": ("prompt", "This choice"),
  ]

  private mutating func leaveEmpty(_ names: [String], _ reason: String) {
    for name in names where !Self.text(name, posted).isEmpty {
      objections.append((name, "Leave this empty: \(reason)"))
    }
  }

  private static func text(_ name: String, _ posted: Form) -> String { (posted[name] ?? "").trimmed }
}
