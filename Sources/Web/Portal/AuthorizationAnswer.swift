import Domain
import Flows
import HTTP
import Pages

extension Desk {
  /// Sends the browser on with the answer to an authorization request.
  func answer(_ response: AuthorizationResponse, _ call: Call) throws -> Response {
    switch response {
    case .redirect(let url): return try .seeOther(url)
    case .form(let post):
      let host: PageContext = .text(RedirectURI(post.target)?.destination ?? "")
      return try page(.formPost, posting: post, ["host": host], call)
    }
  }

  /// A page whose form brings an answer to the app, and leads nowhere else.
  func page(
    _ name: PageName, posting post: AuthorizationResponse.FormPost, _ slots: PageContext.Object, _ call: Call
  ) throws -> Response {
    let targets = RedirectURI(post.target)?.formTargets ?? []
    var response = try page(name, slots.merging(post.slots), call, form: nil, formTargets: targets)
    // Our name alone, so that the app can tell by the Origin field who sends the form; without it that is null.
    response.headers.set("referrer-policy", "strict-origin")
    return response
  }
}

extension AuthorizationResponse.FormPost {
  /// `post`: object of `target` (link) and `fields` (list of `name` and `value`, text).
  fileprivate var slots: PageContext.Object {
    let fields = fields.map { PageContext.object(["name": .text($0.name), "value": .text($0.value)]) }
    return ["post": .object(["target": .url(target), "fields": .list(fields)])]
  }
}
