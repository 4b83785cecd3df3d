import Crypto
import Domain
import Flows
import JSON
import Pages

extension KeysCommand {
  private static let algorithm = Option(
    "--algorithm", "ALGORITHM", "ES256, RS256, PS256 or EdDSA; unless given, the keys of all four.")
  private static let now = Option(
    switch: "--now",
    "For a key that somebody else may have: take it back at once, with every token that it signed.")

  static let rotateSigning = Command(
    name: "keys rotate-signing",
    summary: "Publish the next key that signs tokens now, and sign with it in a day; without this, after 90 days.",
    options: [algorithm, now, .json],
    action: .installation { here, arguments in
      let chosen = try arguments.values(of: algorithm, "ES256, RS256, PS256 or EdDSA", SignatureAlgorithm.init)
      var changes: [RotateSigningKeys.Change] = []
      for algorithm in chosen.isEmpty ? SignatureAlgorithm.allCases : chosen {
        changes.append(
          arguments.has(now)
            ? try await RotateSigningKeys(here).replaceNow(algorithm, by: .commandLine)
            : try await RotateSigningKeys(here).publishNext(algorithm, by: .commandLine))
      }
      if arguments.has(.json) { return .json(.array(changes.map(\.json))) }
      let lines = changes.map(\.sentence) + (arguments.has(now) ? [broken] : [])
      return CommandResult(output: lines.joined(separator: "\n"))
    })

  private static let broken = """
    What breaks: every token that the former keys signed is refused from now on, here at once and by other instances \
    a second later. Apps get new ones with their refresh tokens or by signing people in again. Whoever keeps our key set \
    refuses new tokens until they read it again, which takes five minutes at most where they heed its max-age.
    """
}

extension RotateSigningKeys.Change {
  fileprivate var sentence: String {
    guard withdrawn.isEmpty else {
      return "\(algorithm.rawValue): \(keyID) signs now. Taken back: \(withdrawn.joined(separator: ", "))."
    }
    let start =
      "\(algorithm.rawValue): \(keyID) is published and signs from \(PageContext.isoTime(signsFrom.seconds)) on"
    return wasUnderWay ? start + "; it was published before." : start + "."
  }

  fileprivate var json: JSONValue {
    [
      "algorithm": .string(algorithm.rawValue), "kid": .string(keyID), "signs_from": .integer(signsFrom.seconds),
      "withdrawn": .array(withdrawn.map(JSONValue.string)),
    ]
  }
}
