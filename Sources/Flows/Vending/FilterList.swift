import Domain
import HTTP
import JSON

/// Passes on of a list what is for an API key.
struct FilterList: Sendable {
  /// Bytes of a list; what is longer is not read.
  private static let longest = 8 << 20
  /// Members that tell nothing of what is left out.
  private static let plainMembers: Set<String> = [
    "currentVersion", "fullVersion", "query", "username", "currentFolder", "error",
  ]
  private static let itemMembers: Set<String> = ["results", "items", "relatedItems"]

  /// Entries of a list of items that are looked through: as many as ArcGIS gives at once.
  private static let mostEntries = 100

  private let list: KeyedList
  private let url: ResourceURL

  /// `nil` where nothing is to be left out.
  init?(_ key: ClientAPIKey?, _ url: ResourceURL) {
    guard let list = key?.scope.list(at: url) else { return nil }
    (self.list, self.url) = (list, url)
  }

  // MARK: - The request

  /// What is asked for in place of the URL: the first entries, whichever of them the app wants.
  ///
  /// Would it choose the part, it could count what it may not see.
  var whole: ResourceURL {
    guard case .items = list.list.form, let form = try? Form(query: url.query[...]) else { return url }
    var query: QueryItems = ["start": "1", "num": "\(Self.mostEntries)"]
    for field in form.fields where !["start", "num"].contains(field.name.lowercased()) {
      query.append(field.name, field.value)
    }
    return ResourceURL(query.appended(to: url.withoutQuery)) ?? url
  }

  /// The request as it goes on: the whole list is asked for, in a form that can be read.
  ///
  /// - Throws: `Refusal` `invalid_request` when it asks for another form.
  func request(_ request: Request) throws(Refusal) -> Request {
    guard request.method == .get || request.method == .head else {
      throw Refusal(.invalidRequest, "A list for this API key is read by GET.")
    }
    guard layout != nil else {
      throw Refusal(
        .invalidRequest, "The list holds more than this API key may see, and is filtered as JSON alone: add f=json.")
    }
    var request = request
    // How long the answer to a HEAD would be shows once the list is read.
    request.method = .get
    for name in Self.partial { request.headers.remove(name) }
    request.headers.set("accept-encoding", "identity")
    return request
  }

  /// Fields that ask for less than the whole list.
  private static let partial: [FieldName] = [
    "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
  ]

  /// Fields that say something of the whole list.
  private static let ofWhole: [FieldName] = [
    "content-length", "content-range", "accept-ranges", "etag", "last-modified",
  ]

  /// How the app wants its JSON; `nil` when it wants no JSON, or a function called with it.
  private var layout: JSONWriter.Layout? {
    guard let form = try? Form(query: url.query[...]) else { return nil }
    let asked = form.fields.filter { $0.name.lowercased() == "f" }
    guard asked.count == 1, !form.fields.contains(where: { $0.name.lowercased() == "callback" }) else { return nil }
    switch asked[0].value {
    case "json": return .compact
    case "pjson": return .pretty
    default: return nil
    }
  }

  // MARK: - The answer

  /// The answer with what is for the key.
  ///
  /// - Throws: `Refusal` `upstream_error` for a list that cannot be read.
  func answer(_ answer: ForwardRequest.Answer) async throws -> ForwardRequest.Answer {
    guard (200..<300).contains(answer.status.code) else { return answer }
    var headers = answer.headers
    for name in Self.ofWhole { headers.remove(name) }
    if let coding = headers["content-encoding"], coding.lowercased() != "identity" { throw Self.unreadable }
    headers.remove("content-encoding")
    headers.set("content-type", "application/json")
    let bytes = try await Self.whole(answer)
    let limits = JSONLimits(size: Self.longest, depth: 64)
    guard let json = try? JSONValue(parsing: bytes, limits: limits), let filtered = filtered(json) else {
      throw Self.unreadable
    }
    return answer.with(headers, filtered.encoded(layout: layout ?? .compact))
  }

  private static func whole(_ answer: ForwardRequest.Answer) async throws -> [UInt8] {
    guard answer.length ?? 0 <= longest else { throw tooLong }
    var bytes: [UInt8] = []
    do {
      while bytes.count <= longest, let piece = try await answer.body.read() { bytes += piece }
    } catch {
      throw Refusal(.upstreamError, "The upstream broke off its answer.")
    }
    guard bytes.count <= longest else { throw tooLong }
    return bytes
  }

  private static let unreadable = Refusal(
    .upstreamError, "The upstream's list cannot be read, so that it cannot be told what of it is for this API key.")
  private static let tooLong = Refusal(
    .upstreamError, "The list is longer than 8 MiB, which is the most that is filtered for an API key. Ask for less.")

  // MARK: - The list

  /// `nil` when it is no such list.
  private func filtered(_ json: JSONValue) -> JSONValue? {
    guard let members = json.object else { return nil }
    var left: [JSONValue.Member] = []
    var hasList = json["error"] != nil
    var page = page(isCut: json["num"] != nil)
    for member in members {
      if Self.plainMembers.contains(member.name) {
        left.append(member)
      } else if let entries = member.value.array, let isHeld = test(for: member.name) {
        hasList = hasList || member.name != "folders"
        var held = entries.filter(isHeld)
        if Self.itemMembers.contains(member.name) {
          page.total = held.count
          held = page.cut(held)
        }
        left.append(.init(member.name, .array(held)))
      } else if page.counts[member.name] != nil {
        left.append(member)
      }
    }
    guard hasList else { return nil }
    return .object(
      left.map { member in page.counts[member.name].map { .init(member.name, .integer(Int64($0))) } ?? member })
  }

  /// What decides on the entries of a member; `nil` for one that is no list of these.
  private func test(for member: String) -> ((JSONValue) -> Bool)? {
    switch (list.list.form, member) {
    case (.services(let folder), "services"): return { entry in holdsService(entry, in: folder) }
    case (.services, "folders"): return { entry in holdsFolder(entry) }
    case (.items, "folders"): return { entry in holdsUserFolder(entry) }
    case (.items, _) where Self.itemMembers.contains(member): return { entry in holdsItem(entry) }
    default: return nil
    }
  }

  /// Which part of what is for the key the app asked for; ArcGIS cuts a list into tens unless told otherwise.
  private func page(isCut: Bool) -> Page {
    let asked = (try? Form(query: url.query[...]))?.fields ?? []
    func number(_ name: String) -> Int? { asked.first { $0.name.lowercased() == name }.flatMap { Int($0.value) } }
    let (start, size) = (number("start") ?? 1, number("num") ?? (isCut ? 10 : Self.mostEntries))
    // Behind the last entry it makes no difference how far.
    return Page(start: min(max(start, 1), Self.mostEntries + 1), size: min(max(size, 0), Self.mostEntries))
  }

  /// A part of a list, counted in what is for the key, so that nothing tells of what is left out.
  private struct Page {
    let start: Int
    let size: Int
    var total = 0

    private var end: Int { min(start - 1 + size, total) }

    func cut(_ entries: [JSONValue]) -> [JSONValue] { Array(entries.prefix(end).dropFirst(start - 1)) }

    var counts: [String: Int] {
      [
        "start": start, "num": max(end - start + 1, 0), "total": total,
        "nextStart": start <= total && end < total && size > 0 ? end + 1 : -1,
      ]
    }
  }

  private func holdsService(_ entry: JSONValue, in folder: String?) -> Bool {
    guard let name = entry.string("name"), let type = entry.string("type") else { return false }
    let inside = name.contains("/") ? nil : folder
    return list.holds(
      ([list.list.root, inside].compactMap(\.self) + [Self.path(name), Self.path(type)]).joined(separator: "/"))
  }

  private func holdsFolder(_ entry: JSONValue) -> Bool {
    entry.string.map { list.leads(through: list.list.root + "/" + Self.path($0)) } ?? false
  }

  private func holdsItem(_ entry: JSONValue) -> Bool {
    let root = list.list.root + "/content/"
    if let service = entry.string("url"), list.holds(service) { return true }
    guard let id = entry.string("id").map(Self.path) else { return false }
    if list.holds("\(root)items/\(id)") { return true }
    guard let owner = entry.string("owner").map(Self.path) else { return false }
    if list.holds("\(root)users/\(owner)/items/\(id)") { return true }
    return entry.string("ownerFolder").map { list.holds("\(root)users/\(owner)/\(Self.path($0))/items/\(id)") } ?? false
  }

  private func holdsUserFolder(_ entry: JSONValue) -> Bool {
    guard let id = entry.string("id").map(Self.path), let owner = entry.string("username").map(Self.path) else {
      return false
    }
    return list.leads(through: "\(list.list.root)/content/users/\(owner)/\(id)")
  }

  /// A name as it stands in a URL; one that holds a slash has a folder.
  private static func path(_ name: String) -> String {
    name.split(separator: "/", omittingEmptySubsequences: false).map { PercentCoding.encode(String($0)) }
      .joined(separator: "/")
  }
}

extension ForwardRequest.Answer {
  /// With other header fields and another body, which is there already.
  fileprivate func with(_ headers: Headers, _ bytes: [UInt8]) -> ForwardRequest.Answer {
    var headers = headers
    headers.set("content-length", FieldValue(Int64(bytes.count)))
    let pipe = BytePipe()
    _ = pipe.offer(bytes)
    pipe.finish()
    return ForwardRequest.Answer(
      status: status, headers: headers, length: bytes.count, body: PipeReader(pipe), shown: shown, place: place)
  }
}
