public import Domain
import JSON

/// Reads the JSON file in which the ArcGIS Maps SDKs keep an `IAPConfiguration`.
public enum IAPConfigurationFile {
  /// Bytes of the longest file that is read.
  public static let longest = 64 * 1024

  /// - Throws: ``IAPConfiguration/Failure`` with everything that is wrong.
  public static func read(
    _ bytes: [UInt8], allowsEveryHost: Bool = false
  ) throws(IAPConfiguration.Failure) -> IAPConfiguration {
    let json: JSONValue
    do { json = try JSONValue(parsing: bytes, limits: JSONLimits(size: longest)) } catch {
      throw .init("The file is not JSON: \(error).")
    }
    guard let members = json.object else { throw .init("The file is no JSON object.") }
    let named = members.map { ($0.name, member($0.value)) }
    return try IAPConfiguration(Dictionary(named) { first, _ in first }, allowsEveryHost: allowsEveryHost)
  }

  private static func member(_ value: JSONValue) -> IAPConfiguration.Member {
    if let text = value.string { return .text(text) }
    return value.strings.map { .texts($0) } ?? .other
  }
}
