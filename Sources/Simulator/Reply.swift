internal import HTTP
internal import JSON

extension Response {
  /// JSON in the layout the call asks for: `f=json`, `f=pjson` for people, or a page when `f` is missing.
  static func reply(_ value: JSONValue, to call: Call) -> Response {
    switch call.parameters["f"] {
    case "json": .json(value)
    case "pjson": .json(value, layout: .pretty)
    default: .page(.describing(value, at: call.request.path))
    }
  }

  /// JSON whatever the call asks for, as `/oauth2/token` answers.
  static func json(
    _ value: JSONValue, layout: JSONWriter.Layout = .compact, status: Status = .ok
  ) -> Response {
    Response(
      status: status,
      headers: ["content-type": "application/json; charset=utf-8", "cache-control": "no-store"],
      body: .bytes(value.encoded(layout: layout)))
  }

  /// A page without scripts and without anything from elsewhere.
  static func page(_ page: Page, status: Status = .ok) -> Response {
    Response(
      status: status,
      headers: [
        "content-type": "text/html; charset=utf-8", "cache-control": "no-store",
        "content-security-policy":
          "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
        "referrer-policy": "no-referrer", "x-content-type-options": "nosniff",
      ],
      body: .bytes(Array(page.html.utf8)))
  }

  /// Sends the browser on; a location that no header can hold becomes a page that says so.
  static func redirect(to location: String) -> Response {
    guard let value = FieldValue(location) else {
      return .page(.refusal("Invalid redirect_uri"), status: .badRequest)
    }
    return Response(status: .found, headers: ["location": value, "cache-control": "no-store"])
  }

  /// The connection ends without a complete answer, after `bytes` of it.
  static func cut(after bytes: [UInt8] = [], headers: Headers = [:]) -> Response {
    Response(
      status: .ok, headers: headers,
      body: .stream { writer in
        if !bytes.isEmpty { try await writer.write(bytes) }
        throw ConnectionCut()
      })
  }
}

/// The throw with which a fault cuts a connection.
struct ConnectionCut: Error {}
