import HTTPServer
import JSON
import PostgreSQL
import Web

/// What the file and the environment set, and everything that is wrong with it.
struct GivenSettings {
  private struct Value {
    let text: String
    /// How somebody finds the place: the variable, or the name in its file.
    let place: String
  }

  private var values: [String: Value] = [:]
  private(set) var objections: [String] = []

  mutating func object(_ sentence: String) { objections.append(sentence) }

  var failure: Configuration.Failure {
    let all =
      objections.count == 1 ? objections[0] : (["These settings are wrong:"] + objections).joined(separator: "\n  ")
    return Configuration.Failure(description: "\(all)\n'gatehouse config' lists every setting.")
  }

  /// How the messages call a setting.
  func name(_ setting: Setting) -> String { values[setting.name]?.place ?? setting.variable }

  func text(_ setting: Setting) -> String { values[setting.name]?.text ?? setting.standard }

  /// The value of a setting, without the password that a connection string may hold.
  func printable(_ setting: Setting) -> String {
    let text = text(setting)
    guard setting.name == Setting.database.name, DatabaseLocation.isConnectionString(text) else { return text }
    do { return "\(try ConnectionString(text))" } catch { return "a connection string that cannot be read" }
  }

  func has(_ setting: Setting) -> Bool { values[setting.name] != nil }

  /// Puts a value in place of a fixed default.
  mutating func set(_ setting: Setting, _ text: String) {
    values[setting.name] = Value(text: text, place: setting.variable)
  }

  /// Reads one setting as what it means; `nil` when it cannot be, which is noted.
  mutating func take<T>(_ setting: Setting, _ parse: (String) throws -> T?) -> T? {
    let text = text(setting)
    var reason = "it must be \(setting.rule)."
    do {
      if let value = try parse(text) { return value }
    } catch let failure as ServerFailure {
      reason += " \(failure)."
    } catch let objection as ExternalURL.Objection {
      reason += " \(objection.text)"
    } catch {
      reason += " \(error)"
    }
    object("\(name(setting)) is \"\(text)\", but \(reason)")
    return nil
  }

  mutating func read(_ environment: [String: String]) {
    let variables = environment.keys.filter { $0.hasPrefix("GATEHOUSE_") && !Setting.otherVariables.contains($0) }
    for variable in variables.sorted() {
      guard let setting = Setting.all.first(where: { $0.variable == variable }) else {
        let near = Spelling.suggestion(for: variable, among: Setting.all.map(\.variable))
        object("\(variable) is not a setting.\(near)")
        continue
      }
      values[setting.name] = Value(text: environment[variable] ?? "", place: variable)
    }
  }

  mutating func read(file path: String) {
    do {
      guard let members = try JSONValue(parsing: try Files.read(path)).object else {
        return object("\(path) must hold one JSON object.")
      }
      for member in members { read(member, in: path) }
    } catch let failure as JSONFailure {
      object("\(path): \(failure)")
    } catch {
      object("\(error)")
    }
  }

  private mutating func read(_ member: JSONValue.Member, in path: String) {
    let place = "\(path): \"\(member.name)\""
    guard Setting.all.contains(where: { $0.name == member.name }) else {
      let near = Spelling.suggestion(for: member.name, among: Setting.all.map(\.name))
      return object("\(place) is not a setting.\(near)")
    }
    guard let text = member.value.string ?? member.value.integer.map(String.init) else {
      return object("\(place) must be a string or a whole number.")
    }
    values[member.name] = Value(text: text, place: place)
  }
}
