import Domain
import Testing

@Suite("The place of a sealed value")
struct SealContextTests {
  @Test("no two places give the same bytes")
  func injective() {
    let words = ["", "a", "b", "ab", "a|b", "\u{0}", "\u{0}\u{0}\u{0}\u{1}", "\u{0}\u{0}\u{0}\u{1}a"]
    var seen: [[UInt8]: SealContext] = [:]
    for table in words {
      for column in words {
        for row in words {
          for account in words {
            for binding in words {
              let place = SealContext(table: table, column: column, row: row, account: account, binding: binding)
              #expect(seen.updateValue(place, forKey: place.bytes) == nil)
            }
          }
        }
      }
    }
    #expect(seen.count == 32_768)
  }

  @Test("each part of a credential's place counts")
  func credential() throws {
    let credential = CredentialID(random: "one")
    let connection = try Samples.connection()
    var others: [SealContext] = [
      connection.sealContext(for: CredentialID(random: "two"), of: Samples.account),
      connection.sealContext(for: credential, of: AccountID(random: "ben")),
      try Samples.connection("other").sealContext(for: credential, of: Samples.account),
    ]
    let changes: [(inout Connection) -> Void] = [
      { $0.origin = "https://evil.example" }, { $0.clientID = "other" }, { $0.revision += 1 },
    ]
    for change in changes {
      var changed = connection
      change(&changed)
      others.append(changed.sealContext(for: credential, of: Samples.account))
    }
    let place = connection.sealContext(for: credential, of: Samples.account)
    #expect(!others.contains(place))
    #expect(Set(others).count == others.count)
    var renamed = connection
    renamed.name = "Another name"
    #expect(renamed.sealContext(for: credential, of: Samples.account) == place)
  }
}
