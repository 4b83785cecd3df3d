public import HTTP

extension App {
  /// The answer to a request that the server refused before it got here, as ArcGIS clients read it; `nil` outside the
  /// portals, where the server's own will do.
  ///
  /// The status stays: the connection closes, and whatever stands between has to know.
  public nonisolated(nonsending) func refusal(of refused: RefusedRequest) async -> Response? {
    guard isPortal(refused.target) else { return nil }
    let status = refused.failure.status
    let text =
      switch status.code {
      case 413: "The body of the request is longer than is taken here."
      case 414: "The URL is longer than is taken here: send the parameters by POST."
      case 431: "The header of the request is longer than is taken here."
      default: "The request cannot be read, or can be read in two ways."
      }
    var response = ArcGISError(status.code, text).response(.json)
    response.status = status
    if let allow = refused.failure.response.headers["allow"].flatMap(FieldValue.init) {
      response.headers.set("allow", allow)
    }
    if let origin = refused.origin { await share(&response, with: origin) }
    return secured(response)
  }
}
