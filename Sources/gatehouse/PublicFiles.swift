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
    let brand = configuration.brand
    let ownLogo = try brand.readLogo()
    do {
      assets = try StaticFiles(directory: "\(directory)/assets") { contents in
        if let accent = brand.accent { contents["style.css"]?.append(contentsOf: accent.style.utf8) }
        if let ownLogo { contents[brand.logoName] = ownLogo }
      }
      pages = try PageLibrary(directory: "\(directory)/pages", languages: "\(directory)/languages")
    } catch {
      throw Self.failure("\(error)")
    }
    guard let style = assets.hashedName(of: "style.css"), let logo = assets.hashedName(of: brand.logoName),
      let passkeys = assets.hashedName(of: "passkeys.js"), let formPost = assets.hashedName(of: "form-post.js")
    else {
      throw Self.failure("\(directory)/assets has no style.css, logo.svg, passkeys.js or form-post.js")
    }
    var look = Look(
      organisation: brand.organisation.isEmpty ? nil : brand.organisation, stylePath: "/assets/\(style)",
      logoPath: "/assets/\(logo)")
    look.passkeyScriptPath = "/assets/\(passkeys)"
    look.formPostScriptPath = "/assets/\(formPost)"
    look.hasOwnLogo = brand.logo != nil
    (look.helpURL, look.privacyURL) = (brand.helpURL, brand.privacyURL)
    self.look = look
  }

  private static func failure(_ reason: String) -> Configuration.Failure {
    Configuration.Failure(description: "\(reason). Point GATEHOUSE_PUBLIC at the Public directory of Gatehouse.")
  }
}
