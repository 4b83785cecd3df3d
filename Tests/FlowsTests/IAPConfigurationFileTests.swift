import Domain
import JSON
import Testing

@testable import Flows

@Suite("The configuration file of an application proxy")
struct IAPConfigurationFileTests {
  @Test("reads the file of the SDKs, and says everything that is wrong with one")
  func file() throws {
    let root = "https://login.microsoftonline.com/common/oauth2/v2.0"
    let json: JSONValue = [
      "authorize_url": .string(root + "/authorize"), "token_url": .string(root + "/token"),
      "logout_url": .string(root + "/logout"), "client_id": "app-1", "redirect_url": "auth://app",
      "scope": ["openid"], "hosts_behind_proxy": ["*.contoso.com"],
    ]
    #expect(try IAPConfigurationFile.read(json.encoded()).clientID == "app-1")
    for (text, count) in [("{}", 7), ("[]", 1), ("{", 1), (#"{"scope":[1]}"#, 7)] {
      do throws(IAPConfiguration.Failure) {
        _ = try IAPConfigurationFile.read(Array(text.utf8))
        Issue.record("\(text) was read")
      } catch {
        #expect(error.objections.count == count, "\(error.objections)")
      }
    }
  }
}
