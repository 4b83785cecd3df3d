import Domain
import HTTP
import Pages

extension Desk {
  /// The language that somebody reads our pages in: what an app asked for in this browser session, else what the browser
  /// prefers, else English.
  func language(_ request: Request) -> String {
    if let asked = cookies.value(.language, in: request), pages.languages.contains(asked) { return asked }
    return language(among: WeightedList(request.headers.values(of: "accept-language")).preferred) ?? "en"
  }

  /// The first of `wanted` that we have (RFC 4647 §3.4): of `de-AT`, also `de` will do.
  func language(among wanted: [String]) -> String? {
    let offered = pages.languages
    for range in wanted.map({ $0.lowercased() }) {
      var range = range[...]
      while !range.isEmpty {
        if let match = offered.first(where: { $0.lowercased() == range }) { return match }
        range = range.lastIndex(of: "-").map { range[..<$0] } ?? ""
      }
    }
    return nil
  }

  /// Keeps the languages that an app asks for, in order of its preference, for the browser session (OpenID Connect Core
  /// §3.1.2.1, `ui_locales`); `nil` when we have none of them, or the browser gets the best one already.
  func remembering(_ locales: String?, _ request: Request) throws -> SetCookie? {
    let wanted = (locales ?? "").split(separator: " ").map(String.init)
    guard let best = language(among: wanted), best != language(request) else { return nil }
    return try cookies.setting(.language, to: Secret(best))
  }
}
