import Testing
import Web

@testable import gatehouse

@Suite("Settings")
struct ConfigurationTests {
  @Test(
    "each objection names the variable, the value and what is allowed",
    arguments: [
      ("LISTEN", "8080", "an address and a port"), ("EXTERNAL_URL", "http://gate.example.org", "must be https"),
      ("DATA", "", "a path"), ("DATABASE", "gatehouse.db", "sqlite:PATH"), ("KEK_FILE", "", "a path"),
      ("PUBLIC", "", "a path"), ("TRUSTED_PROXIES", "10.0.0.1/8", "write 10.0.0.0/8"),
      ("SECURITY_CONTACT", "security@example.org", "https:, mailto: or tel:"),
      ("POLICY_URI", "http://city.example/privacy", "an https URL"), ("TERMS_URI", "terms", "an https URL"),
      ("MAX_CONNECTIONS", "5", "from 10 to 1000000"), ("LOG_LEVEL", "loud", "debug, info, warning or error"),
      ("CLIENT_NETWORKS", "10.0.0.1/8", "write 10.0.0.0/8"), ("REGISTRATION", "on", "off, token or open"),
      ("REGISTRATION_UNUSED_DAYS", "0", "from 1 to 3650"),
    ])
  func objections(name: String, value: String, rule: String) {
    let failure = #expect(throws: Configuration.Failure.self) {
      try Configuration.load(["GATEHOUSE_\(name)": value])
    }
    let text = failure?.description ?? ""
    #expect(text.hasPrefix("GATEHOUSE_\(name) is \"\(value)\", but it must be "), "\(text)")
    #expect(text.contains(rule), "\(text)")
  }

  @Test("everything that is wrong is said at once")
  func together() {
    let failure = #expect(throws: Configuration.Failure.self) {
      try Configuration.load([
        "GATEHOUSE_LISTN": "x", "GATEHOUSE_LOG_LEVEL": "loud", "GATEHOUSE_MAX_CONNECTIONS": "many",
        "GATEHOUSE_TLS_KEY": "key.pem", "GATEHOUSE_LISTEN": "0.0.0.0:8080",
      ])
    }
    let lines = failure?.description.split(separator: "\n") ?? []
    #expect(lines.count == 7, "\(lines)")
    #expect(lines.contains { $0.contains("GATEHOUSE_LISTN is not a setting. Did you mean 'GATEHOUSE_LISTEN'?") })
    #expect(lines.contains { $0.contains("GATEHOUSE_TLS_KEY is set, but GATEHOUSE_TLS_CERTIFICATE is not") })
    #expect(lines.contains { $0.contains("other machines can reach it, but GATEHOUSE_EXTERNAL_URL") })
  }

  @Test("the address that people use follows the port, unless it is set")
  func externalURL() throws {
    #expect(try Configuration.load(["GATEHOUSE_LISTEN": "127.0.0.1:9000"]).external.text == "http://localhost:9000")
    let both = ["GATEHOUSE_LISTEN": "127.0.0.1:9000", "GATEHOUSE_EXTERNAL_URL": "https://gate.example.org"]
    #expect(try Configuration.load(both).external.text == "https://gate.example.org")
  }

  @Test("every setting stands in the table that is printed", arguments: Setting.all.map(\.variable))
  func table(variable: String) { #expect(Setting.table.contains(variable + "\n")) }
}
