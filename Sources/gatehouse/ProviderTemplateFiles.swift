import FileSystem
import Flows
import JSON

/// The templates of known providers, each a JSON file in the public directory.
enum ProviderTemplateFiles {
  private static let suffix = ".json"

  /// None when there is no such directory, as beside a program that only runs commands.
  static func read(_ configuration: Configuration) throws -> ProviderTemplates {
    let files: [(name: String, bytes: [UInt8])]
    do { files = try Directory.files(in: "\(configuration.publicDirectory)/templates/providers") } catch {
      return ProviderTemplates()
    }
    return ProviderTemplates(
      try files.filter { $0.name.hasSuffix(suffix) }.map { file in
        let id = String(file.name.dropLast(suffix.count))
        guard let json = try? JSONValue(parsing: file.bytes) else {
          throw Configuration.Failure(description: "The provider template \(id) is no JSON.")
        }
        return try ProviderTemplate(id: id, json)
      })
  }
}
