import HTTPServer
import Pages
import Web

/// What stands in the public directory: the pages, and the assets that they name.
struct PublicFiles: Sendable {
  let pages: PageLibrary
  let assets: StaticFiles
  let look: Look

  init(_ configuration: Configuration) throws(Configuration.Failure) {
    let directory = configuration.publicDirectory
    do {
      assets = try StaticFiles(directory: "\(directory)/assets")
      pages = try PageLibrary(directory: "\(directory)/pages", languages: "\(directory)/languages")
    } catch {
      throw Self.failure("\(error)")
    }
    guard let style = assets.hashedName(of: "style.css"), let logo = assets.hashedName(of: "logo.svg") else {
      throw Self.failure("\(directory)/assets has no style.css or logo.svg")
    }
    look = Look(
      organisation: configuration.organisation.isEmpty ? nil : configuration.organisation,
      stylePath: "/assets/\(style)", logoPath: "/assets/\(logo)")
  }

  private static func failure(_ reason: String) -> Configuration.Failure {
    Configuration.Failure(description: "\(reason). Point GATEHOUSE_PUBLIC at the Public directory of Gatehouse.")
  }
}
