/// The rules for a password of a local account (NIST SP 800-63B: length and a list of common ones; no composition rules).
public enum LocalPassword {
  /// In Unicode scalars; the password is the only factor.
  public static let minimumLength = 15
  /// In bytes of UTF-8.
  public static let maximumBytes = 1024

  /// What is wrong with `password` for the account `username`, or `nil` when it may be used.
  public static func objection(to password: String, username: String) -> String? {
    if password.unicodeScalars.count < minimumLength {
      return "The password needs at least \(minimumLength) characters. A few unrelated words do well."
    }
    if password.utf8.count > maximumBytes {
      return "The password is longer than \(maximumBytes) bytes. Choose a shorter one."
    }
    if !username.isEmpty, password.lowercased().contains(username.lowercased()), username.utf8.count > 3 {
      return "The password contains the user name. Choose one that does not."
    }
    if Set(password).count < 5 {
      return "The password repeats the same few characters. Choose a less regular one."
    }
    if CommonPassword.isGuessable(password) {
      return "Many people use a password like this one, so it is guessed early. Choose a few unrelated words."
    }
    return nil
  }
}

/// What is kept of a local password.
public struct StoredPassword: Sendable, Equatable {
  /// Argon2id, as a PHC string.
  public let hash: String
  public let changedAt: Timestamp

  public init(hash: String, changedAt: Timestamp) {
    self.hash = hash
    self.changedAt = changedAt
  }
}

/// The rules for the name typed at the local sign-in.
public enum Username {
  /// The form in which names are compared and stored: lower case, without surrounding blanks.
  public static func folded(_ typed: String) -> String {
    var text = Substring(typed.lowercased())
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }

  /// What is wrong with a folded name, or `nil`.
  public static func objection(to name: String) -> String? {
    if name.isEmpty { return "Enter a user name." }
    if name.utf8.count > 64 { return "The user name is longer than 64 bytes. Choose a shorter one." }
    let allowed = name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || "0123456789.-_@+".unicodeScalars.contains($0)
    }
    return allowed ? nil : "A user name has letters, digits and . - _ @ + only."
  }
}
