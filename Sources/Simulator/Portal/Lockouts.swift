/// The account lockout of ArcGIS's built-in user store: five wrong passwords in 15 minutes lock for 15 minutes.
struct Lockouts: Sendable {
  private var failures: [String: [Moment]] = [:]

  private static let limit = 5
  private static let window = 900

  func isLocked(_ user: String, at now: Moment) -> Bool { recent(user, at: now).count >= Self.limit }

  mutating func noteFailure(of user: String, at now: Moment) {
    failures[user] = recent(user, at: now) + [now]
  }

  mutating func forget(_ user: String) { failures[user] = nil }

  private func recent(_ user: String, at now: Moment) -> [Moment] {
    (failures[user] ?? []).filter { $0.adding(seconds: Self.window) > now }
  }
}

extension Portal {
  /// Whether name and password fit; a locked account looks like a wrong password.
  mutating func checkPassword(_ password: String, of name: String, at now: Moment) -> Bool {
    guard let user = configuration.user(named: name), !lockouts.isLocked(name, at: now) else { return false }
    guard user.password == password else {
      lockouts.noteFailure(of: name, at: now)
      return false
    }
    lockouts.forget(name)
    return true
  }
}
