internal import HTTP

/// The fields of a request's query and URL-encoded form.
///
/// A name that comes twice in one of them reads as absent; one in both counts as the query has it.
struct Parameters: Sendable {
  private let query: Form
  private let body: Form

  /// - Throws: ``FormFailure`` for a malformed query or form.
  init(of request: Request) throws(FormFailure) {
    query = try Form(query: request.query)
    body = try request.headers.contentType?.isForm == true ? Form(request.body) : Form([])
  }

  /// The value of the field called `name`; `nil` when it is missing or empty.
  subscript(name: String) -> String? { query.nonEmpty(name) ?? body.nonEmpty(name) }
}
