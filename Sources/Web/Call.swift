import Domain
import Flows
import HTTP

/// One request on its way to its endpoint, with what was found out about it.
struct Call: Sendable {
  let request: Request
  /// The path segments that the route's pattern names, percent-decoded.
  var segments: [String: String]
  /// Ours, or the client's own when it has a harmless form; stands in the answer, the log and the audit.
  let requestID: String
  /// `nil` when no route is there.
  var route: Route?

  /// Who asks, for throttling and the audit.
  var visitor: Visitor {
    Visitor(
      requestID: requestID, address: request.remoteAddress, userAgent: request.headers["user-agent"] ?? "")
  }

  /// The fields of a POST body.
  ///
  /// - Throws: `Refusal` `invalid_request` when the body is not such a form or repeats a field that must not repeat.
  func form(repeatable: Set<String> = [], limits: Form.Limits = Form.Limits()) throws -> Form {
    guard request.headers.contentType?.isForm == true else {
      throw Refusal(.invalidRequest, "Send the parameters as application/x-www-form-urlencoded in UTF-8.")
    }
    do {
      return try checked(Form(request.body, limits: limits), repeatable)
    } catch let failure as FormFailure { throw Refusal(.invalidRequest, failure.description) }
  }

  /// The fields of a POST body and the files beside them, which browsers send in a form of its own type.
  ///
  /// - Throws: `Refusal` `invalid_request` as ``form(repeatable:limits:)`` does.
  func formWithFiles() throws -> (Form, files: [String: [UInt8]]) {
    guard let type = request.headers.single("content-type"), MultipartForm.isType(type) else {
      return (try form(), [:])
    }
    do {
      let multipart = try MultipartForm(request.body, contentType: type)
      return (try checked(multipart.form, []), multipart.files)
    } catch let failure as FormFailure { throw Refusal(.invalidRequest, failure.description) }
  }

  /// The parameters of the query.
  ///
  /// - Throws: `Refusal` `invalid_request` as ``form(repeatable:)`` does.
  func query(repeatable: Set<String> = []) throws -> Form {
    do {
      return try checked(Form(query: request.query), repeatable)
    } catch let failure as FormFailure { throw Refusal(.invalidRequest, failure.description) }
  }

  private func checked(_ form: Form, _ repeatable: Set<String>) throws -> Form {
    if let name = form.repeatedName(except: repeatable) {
      throw Refusal(.invalidRequest, "The parameter \(name) stands more than once.")
    }
    return form
  }

  /// The connection that the path names.
  ///
  /// - Throws: `Refusal` `not_found` when it cannot be one.
  func connectionID() throws -> ConnectionID {
    guard let id = segments["connection"].flatMap(ConnectionID.init) else {
      throw Refusal(.notFound, "There is no connection of this name.")
    }
    return id
  }

  /// The client that the path names.
  ///
  /// - Throws: `Refusal` `not_found` when it cannot be one.
  func clientID() throws -> ClientID {
    guard let id = segments["client"].flatMap(ClientID.init) else {
      throw Refusal(.notFound, "There is no client of this id.")
    }
    return id
  }
}
