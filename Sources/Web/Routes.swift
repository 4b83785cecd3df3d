import HTTP

extension App {
  /// Every route of the product, in one place.
  static func routes(_ desk: Desk) -> [Route] {
    health(desk)
      + oauthRoutes(desk)
      + wellKnownRoutes(desk)
      + vendingRoutes(desk)
      + portalRoutes(desk)
      + adminRoutes(desk)
      + arcGISRoutes(desk)
  }

  private static func health(_ desk: Desk) -> [Route] {
    let health = HealthEndpoint(desk.here)
    return [
      .api(.get, "/health/live") { _ in HealthEndpoint.alive },
      .api(.get, "/health/ready") { _ in await health.ready() },
    ]
  }
}
