import Domain

extension Connection {
  /// Where a form that begins a trip may lead: the upstream, and from there by redirects to whoever it lets people sign
  /// in with; browsers check the form-action directive against every one of them.
  var formTargets: [String] { (ResourceURL(origin).map { [$0.origin] } ?? []) + ["https:"] }
}

extension RedirectURI {
  /// What the form-action directive must allow so that the answer reaches the app: an origin, or a private-use scheme.
  var formTargets: [String] { [origin ?? "\(destination):"] }
}
