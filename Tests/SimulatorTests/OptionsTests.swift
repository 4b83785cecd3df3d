import Simulator
import Testing

@Suite("The command line")
struct OptionsTests {
  @Test("has safe defaults")
  func defaults() throws {
    let options = try SimulatorOptions([])
    #expect(options.listen == "127.0.0.1:8090")
    #expect(options.configuration == SimulatorConfiguration())
    #expect(options.configuration.users.map(\.name) == ["ana", "ben"])
    #expect(options.configuration.users.map(\.isEntitled) == [true, false])
    #expect(options.configuration.clients.first?.redirectURIs == ["http://localhost:8080/callback/demo"])
  }

  @Test("reads everything")
  func readsAll() throws {
    let options = try SimulatorOptions([
      "--listen", "127.0.0.1:0", "--user", "eva:a:b", "--user", "tom:x", "--unentitled", "tom", "--client",
      "app:http://localhost/a", "--client", "app:my-app://back", "--client-secret", "app:s", "--access-ttl", "5",
      "--refresh-ttl", "60", "--tls-certificate", "c.pem", "--tls-key", "k.pem", "--portal-context", "/portal",
      "--hide-refresh-expiry", "--accept-portal-tokens", "--api-key", "item:t",
    ])
    #expect(
      options.configuration.users == [
        SimulatedUser(name: "eva", password: "a:b"), SimulatedUser(name: "tom", password: "x", isEntitled: false),
      ])
    #expect(
      options.configuration.clients == [
        SimulatedClient(id: "app", redirectURIs: ["http://localhost/a", "my-app://back"], secret: "s"),
        SimulatedClient(id: "item", redirectURIs: [], secret: "t", makesKeys: true),
      ])
    #expect(options.configuration.accessLifetime == 5)
    #expect(options.configuration.refreshLifetime == 60)
    #expect(options.configuration.portalContext == "/portal")
    #expect(!options.configuration.reportsRefreshLifetime)
    #expect(options.configuration.serverAcceptsPortalTokens)
    #expect(options.tlsCertificate == "c.pem")
    #expect(options.tlsKey == "k.pem")
  }

  @Test(
    "says what is wrong",
    arguments: [
      (["--colour"], "--colour"), (["--listen"], "--listen"), (["--user", "ana"], "--user"),
      (["--user", ":secret"], "--user"), (["--user", "a:b", "--user", "a:c"], "--user a"),
      (["--client", "app"], "--client"), (["--client", "app:here"], "--client app"),
      (["--access-ttl", "0"], "--access-ttl 0"), (["--refresh-ttl", "soon"], "--refresh-ttl soon"),
      (["--unentitled", "eve"], "--unentitled eve"), (["--client-secret", "x:y"], "--client-secret x"),
      (["--tls-key", "k.pem"], "--tls-certificate"), (["--portal-context", "portal"], "--portal-context portal"),
    ])
  func refuses(arguments: [String], start: String) {
    let failure = #expect(throws: UsageFailure.self) { try SimulatorOptions(arguments) }
    #expect(failure?.description.hasPrefix(start) == true)
  }

  @Test("neither errors nor the greeting repeat a password")
  func hidesSecrets() throws {
    let failure = #expect(throws: UsageFailure.self) { try SimulatorOptions(["--user", "hunter2"]) }
    #expect(failure?.description.contains("hunter2") == false)
    let options = try SimulatorOptions(["--user", "eva:hunter2", "--client-secret", "gatehouse-demo:hunter2"])
    let greeting = options.greeting(port: 8_090)
    #expect(!greeting.contains("hunter2"))
    #expect(greeting.contains("eva"))
    #expect(greeting.contains("http://portal.localhost:8090"))
  }
}
