import Testing

@testable import Upstream

@Suite("The address of a portal")
struct PortalAddressTests {
  @Test(
    "is found in whatever page of the portal was copied",
    arguments: [
      ("https://gis.example.org/portal", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/home", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/home/", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/home/index.html", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/home/webmap/viewer.html?id=1&x=y", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/home/item.html?id=abc#overview", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/home/#", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/sharing", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/sharing/rest", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/sharing/rest/", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/sharing/rest/oauth2/authorize?client_id=x", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/sharing/rest/portals/self?f=json", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/apps/mapviewer/index.html", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/portaladmin/", "https://gis.example.org/portal"),
      ("https://gis.example.org/portal/signin.html", "https://gis.example.org/portal"),
      ("https://GIS.Example.ORG/Portal", "https://gis.example.org/Portal"),
      ("HTTPS://gis.example.org/portal", "https://gis.example.org/portal"),
      ("https://gis.example.org:443/portal", "https://gis.example.org/portal"),
      ("https://gis.example.org:7443/arcgis/home", "https://gis.example.org:7443/arcgis"),
      ("https://gis.example.org//portal//home", "https://gis.example.org/portal"),
      ("gis.example.org/portal", "https://gis.example.org/portal"),
      ("gis.example.org", "https://gis.example.org"),
      ("  https://gis.example.org/portal\r\n", "https://gis.example.org/portal"),
      ("\u{A0}gis.example.org/portal/home/ ", "https://gis.example.org/portal"),
      ("https://gis.example.org/home/sharing/rest", "https://gis.example.org/home"),
      ("https://gis.example.org/home", "https://gis.example.org"),
      ("https://gis.example.org/a/b/home/gallery.html", "https://gis.example.org/a/b"),
      ("https://www.arcgis.com", "https://www.arcgis.com"),
      ("arcgis.com", "https://www.arcgis.com"),
      ("http://arcgis.com/home/signin.html", "https://www.arcgis.com"),
      ("http://city.maps.arcgis.com/home", "https://city.maps.arcgis.com"),
      ("https://www.arcgis.com/sharing/rest/oauth2/token", "https://www.arcgis.com"),
      ("https://city.maps.arcgis.com/home/organization.html", "https://city.maps.arcgis.com"),
      ("https://City.Maps.ArcGIS.com/apps/webappviewer/index.html?id=1", "https://city.maps.arcgis.com"),
      ("http://127.0.0.1:8090/sharing/rest", "http://127.0.0.1:8090"),
      ("http://portal.localhost:8090", "http://portal.localhost:8090"),
      ("https://[2001:DB8::1]:8443/portal/home", "https://[2001:db8::1]:8443/portal"),
    ])
  func normalises(typed: String, root: String) {
    #expect(PortalAddress(typed)?.root == root)
  }

  @Test(
    "is refused when it could be read in two ways or is none",
    arguments: [
      "", "   ", "https://", "ftp://gis.example.org/portal", "javascript:alert(1)",
      "https://user@gis.example.org/portal",
      "https://gis.example.org\\portal", "https://gis.example.org/portal/../x", "https://2130706433/portal",
      "https://0x7f.1/portal", "https://gis example.org/portal", "https://gis.example.org/po%2frtal", "my portal",
    ])
  func refuses(typed: String) {
    #expect(PortalAddress(typed) == nil)
  }

  @Test(
    "typed as a host alone is tried at the root and where Enterprise puts a portal",
    arguments: [
      ("gis.example.org", ["https://gis.example.org", "https://gis.example.org/portal"]),
      ("gis.example.org:7443", ["https://gis.example.org:7443", "https://gis.example.org:7443/arcgis"]),
      ("gis.example.org/maps", ["https://gis.example.org/maps"]), ("arcgis.com", ["https://www.arcgis.com"]),
    ])
  func candidates(typed: String, roots: [String]) {
    #expect(PortalAddress(typed)?.candidates == roots)
  }

  @Test(
    "tells the installations of ArcGIS Online apart",
    arguments: [
      ("www.arcgis.com", OnlineEnvironment.production), ("services1.arcgis.com", .production),
      ("city.maps.arcgis.com", .production), ("devext.arcgis.com", .development),
      ("city.mapsdevext.arcgis.com", .development), ("qaext.arcgis.com", .quality),
      ("city.mapsqa.arcgis.com", .quality), ("devon.maps.arcgis.com", .production), ("arcgis.com", .production),
      ("servicesdev.arcgis.com", .development), ("arcgis.com.example.org", nil), ("notarcgis.com", nil),
    ])
  func environments(host: String, environment: OnlineEnvironment?) {
    #expect(OnlineEnvironment(host: host) == environment)
  }
}
