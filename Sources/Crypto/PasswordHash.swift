/// The parts of `$argon2id$v=19$m=…,t=…,p=…$salt$tag`, in the one order Argon2's reference encoder writes.
struct PasswordHash: Equatable {
  let cost: Argon2id.Cost
  let salt: [UInt8]
  let tag: [UInt8]

  init(cost: Argon2id.Cost, salt: [UInt8], tag: [UInt8]) {
    self.cost = cost
    self.salt = salt
    self.tag = tag
  }

  /// Reads a hash; refuses a cost that is not bearable.
  init(_ text: String) throws(CryptoError) {
    let fields = text.split(separator: "$", omittingEmptySubsequences: false)
    guard fields.count == 6, fields[0].isEmpty, fields[1] == "argon2id", fields[2] == "v=19" else {
      throw .invalidHash("It is not an Argon2id hash of version 19.")
    }
    let parameters = fields[3].split(separator: ",", omittingEmptySubsequences: false)
    guard parameters.count == 3, let memory = Self.number(parameters[0], "m="),
      let passes = Self.number(parameters[1], "t="), let lanes = Self.number(parameters[2], "p=")
    else { throw .invalidHash("Its parameters cannot be read.") }
    cost = Argon2id.Cost(memory: memory, passes: passes, lanes: lanes)
    guard cost.isBearable else { throw .invalidHash("Its cost is out of bounds.") }
    guard let salt = Self.decode(fields[4]), let tag = Self.decode(fields[5]), (8...64).contains(salt.count),
      (16...64).contains(tag.count)
    else { throw .invalidHash("Its salt or tag cannot be read.") }
    self.salt = salt
    self.tag = tag
  }

  var text: String {
    "$argon2id$v=19$m=\(cost.memory),t=\(cost.passes),p=\(cost.lanes)$\(Self.encode(salt))$\(Self.encode(tag))"
  }

  private static func number(_ field: Substring, _ prefix: String) -> UInt32? {
    guard field.hasPrefix(prefix), let number = UInt32(field.dropFirst(prefix.count)) else { return nil }
    return "\(prefix)\(number)" == field ? number : nil
  }

  /// Base64 with the standard alphabet and without padding.
  private static func encode(_ bytes: [UInt8]) -> String {
    String(Base64.encode(bytes).prefix { $0 != "=" })
  }

  private static func decode(_ field: Substring) -> [UInt8]? {
    guard !field.contains("=") else { return nil }
    return Base64.decode(String(field) + String(repeating: "=", count: (4 - field.utf8.count % 4) % 4))
  }
}
