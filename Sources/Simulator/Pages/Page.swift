internal import JSON

/// One page; each says at its top that nothing here is real.
struct Page: Sendable {
  let title: String
  let content: HTML

  var html: String {
    let document: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title) – Upstream simulator</title>
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="\(Page.stylesheetPath)">
      </head>
      <body>
      <header><p><strong>Upstream simulator</strong> — not a real portal</p></header>
      <main>
      <h1>\(title)</h1>
      \(content)
      </main>
      </body>
      </html>

      """
    return document.text
  }

  /// What a call answers without `f=json`.
  static func describing(_ value: JSONValue, at path: String) -> Page {
    let text = String(decoding: value.encoded(layout: .pretty), as: UTF8.self)
    return Page(
      title: "ArcGIS REST",
      content: """
        <p><code>\(path)</code> answers JSON to programs that add <code>f=json</code>.</p>
        <pre tabindex="0" role="region" aria-label="Answer">\(text)</pre>
        """)
  }

  /// An error that is shown to the person and not sent to the app, because the app cannot be trusted.
  static func refusal(_ reason: String) -> Page {
    Page(
      title: "Error",
      content: """
        <p class="error" role="alert">\(reason)</p>
        <p>The app that sent you here is not registered this way. Go back to it and tell whoever runs it.</p>
        """)
  }

  static let signedOut = Page(
    title: "Signed out", content: "<p>You are signed out of the simulated portal. You can close this page.</p>")
}
