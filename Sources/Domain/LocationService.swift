/// A service of ArcGIS Location Platform that takes API keys, by what it is for; the names stand on the command line.
///
/// Source: the service URLs in Esri's developer documentation of each (developers.arcgis.com/rest).
public enum LocationService: String, Sendable, CaseIterable {
  /// Basemap styles and their tiles, and vector and image basemaps.
  case basemaps
  case staticBasemaps = "static-basemaps"
  /// Tiles of basemaps to take along.
  case basemapExport = "basemap-export"
  case geocoding
  /// Routes, closest facilities and service areas.
  case routing
  case places
  case elevation
  case geoEnrichment = "geoenrichment"

  /// The hosts that it answers on.
  public var hosts: [String] {
    switch self {
    case .basemaps: ["basemapstyles-api.arcgis.com", "basemaps-api.arcgis.com", "ibasemaps-api.arcgis.com"]
    case .staticBasemaps: ["static-map-tiles-api.arcgis.com"]
    case .basemapExport: ["tiledbasemaps.arcgis.com"]
    case .geocoding: ["geocode-api.arcgis.com", "geocode.arcgis.com"]
    case .routing: ["route-api.arcgis.com", "route.arcgis.com", "logistics.arcgis.com"]
    case .places: ["places-api.arcgis.com"]
    case .elevation: ["elevation-api.arcgis.com"]
    case .geoEnrichment: ["geoenrich.arcgis.com"]
    }
  }

  public var resources: [ResourcePattern] { hosts.compactMap { ResourcePattern("https://\($0)") } }
}
