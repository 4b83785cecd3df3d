import Domain
import Flows
import HTTP
import JSON

/// Tells a client which API keys count, `POST /v1/keys/verify`.
struct VerifyAPIKeysEndpoint: Sendable {
  static let path = "/v1/keys/verify"
  /// In bytes; room for a hundred keys with the URLs that they came for.
  private static let longestBody = 512 << 10

  private let here: Installation
  private let errors: ErrorAnswers

  init(_ here: Installation) {
    self.here = here
    errors = ErrorAnswers(here)
  }

  func post(_ call: Call) async throws -> Response {
    do {
      let body = try Self.body(of: call.request)
      let presented = try ClientCredentials(call.request, Self.credentials(in: body)).presented
      let client = try await AuthenticateClient(here)(presented, call.visitor)
      let answers = try await VerifyAPIKeys(here)(Self.questions(in: body), client)
      return .json(.ok, Self.body(answers, at: here.clock.now()))
    } catch let refusal as Refusal where refusal.code == .invalidClient {
      var response = errors.json(refusal, call)
      response.status = .unauthorized
      response.headers.set("www-authenticate", "Basic realm=\"gatehouse\", charset=\"UTF-8\"")
      return response
    }
  }

  private static func body(of request: Request) throws(Refusal) -> JSONValue {
    guard request.headers.contentType?.isJSON == true else {
      throw Refusal(.invalidRequest, "Send the keys as application/json: {\"keys\": [{\"key\": \"gh_sk_…\"}]}.")
    }
    do { return try JSONValue(parsing: request.body, limits: JSONLimits(size: longestBody, depth: 4)) } catch {
      throw Refusal(.invalidRequest, "The body is no JSON, or longer than \(longestBody >> 10) KiB: \(error).")
    }
  }

  /// What proves the client where it is not the `Authorization` header; named as in a form.
  private static func credentials(in body: JSONValue) -> Form {
    let names = ["client_id", "client_secret", "client_assertion", "client_assertion_type"]
    return Form(names.compactMap { name in body.string(name).map { (name, $0) } })
  }

  private static func questions(in body: JSONValue) throws(Refusal) -> [VerifyAPIKeys.Question] {
    guard let items = body.array("keys"), (1...VerifyAPIKeys.most).contains(items.count) else {
      throw Refusal(.invalidRequest, "The member keys is a list of 1 to \(VerifyAPIKeys.most) keys.")
    }
    var questions: [VerifyAPIKeys.Question] = []
    for (index, item) in items.enumerated() { questions.append(try question(item, "keys[\(index)]")) }
    return questions
  }

  private static func question(_ item: JSONValue, _ place: String) throws(Refusal) -> VerifyAPIKeys.Question {
    guard let key = item.string("key") else {
      throw Refusal(.invalidRequest, "\(place) is no object with the member key, a string.")
    }
    var question = VerifyAPIKeys.Question(Secret(key))
    for member in item.object ?? [] where member.name != "key" {
      let text = member.value.string
      guard text != nil || member.value.isNull else {
        throw Refusal(.invalidRequest, "\(place) has a member that is no string.")
      }
      switch member.name {
      case "url": question.url = text
      case "method": question.method = text
      case "referrer": question.referrer = text ?? ""
      case "ip": question.address = text
      default:
        throw Refusal(.invalidRequest, "\(place) has a member beside key, url, method, referrer and ip.")
      }
    }
    return question
  }

  private static func body(_ answers: [VerifyAPIKeys.Answer], at now: Timestamp) -> [UInt8] {
    JSONWriter.object { json in
      json.array("keys") { json in
        for answer in answers {
          json.object { json in
            json.member("active", answer.reason == nil)
            json.member("reason", ifPresent: answer.reason?.rawValue)
            if let key = answer.key { APIKeyJSON.write(key, to: &json) }
            json.member("expires_in", ifPresent: answer.expiresAt.map { max($0 - now, 0) })
          }
        }
      }
    }
  }
}
