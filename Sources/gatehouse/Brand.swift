import Domain
import Pages

/// What an organisation puts on every page.
struct Brand: Sendable {
  let organisation: String
  let accent: AccentColour?
  /// The path of its logo.
  let logo: String?
  let helpURL: String?
  let privacyURL: String?

  /// The longest logo that is taken: it is part of the weight of each page.
  private static let longestLogo = 65_536

  init(_ given: inout GivenSettings) {
    organisation = given.text(.organisation)
    accent = given.text(.accent).isEmpty ? nil : given.take(.accent) { AccentColour($0) }
    logo = given.text(.logo).isEmpty ? nil : given.take(.logo) { path in Self.kind(of: path).map { _ in path } }
    helpURL = given.page(.helpURL)
    privacyURL = given.page(.privacyURL)
  }

  /// The name of the logo among the assets.
  var logoName: String { logo.flatMap(Self.kind).map { "own-logo.\($0)" } ?? "logo.svg" }

  /// The content of the logo; `nil` when it is ours.
  func readLogo() throws(Configuration.Failure) -> [UInt8]? {
    guard let logo else { return nil }
    let bytes: [UInt8]
    do { bytes = try Files.read(logo) } catch {
      throw Configuration.Failure(description: "\(Setting.logo.variable): \(error)")
    }
    guard bytes.count <= Self.longestLogo else {
      throw Configuration.Failure(
        description: "\(Setting.logo.variable) is \"\(logo)\", which is larger than 64 KiB: make it smaller.")
    }
    return bytes
  }

  private static func kind(of path: String) -> String? {
    ["svg", "png"].first { path.lowercased().hasSuffix("." + $0) }
  }
}

extension GivenSettings {
  /// The address of a page for people, where one is set.
  mutating func page(_ setting: Setting) -> String? {
    text(setting).isEmpty ? nil : take(setting) { $0.hasPrefix("https://") && ResourceURL($0) != nil ? $0 : nil }
  }
}
