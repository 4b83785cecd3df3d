import FoundationEssentials
import Testing

@testable import Pages

@Suite("Pages") struct PageLibraryTests {
  /// The package's folder, which holds `Public` and `Sources`.
  static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

  private static let loaded = Result {
    try PageLibrary(directory: root + "/Public/pages", languages: root + "/Public/languages")
  }
  private let library: PageLibrary

  init() throws { library = try Self.loaded.get() }

  @Test("renders with every slot filled in", arguments: SamplePage.all)
  func renders(sample: SamplePage) throws {
    let html = String(decoding: try library.render(sample.page, with: sample.context), as: UTF8.self)
    #expect(html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\" dir=\"ltr\">"))
    #expect(html.hasSuffix("</html>\n"))
    #expect(!html.contains("{{"))
    #expect(!html.contains("<b>Bobby"))
  }

  @Test("has a sample of every page", arguments: PageName.all)
  func sampled(page: PageName) { #expect(SamplePage.all.contains { $0.page == page }) }

  @Test("reaches every slot by some sample: without the slot's value, one of them fails", arguments: PageName.all)
  func reachesSlots(page: PageName) {
    let samples = SamplePage.all.filter { $0.page == page }
    for slot in library.slots(of: page) where slot.name != "." && !["lang", "dir"].contains(slot.name) {
      let keys = slot.name.split(separator: ".").map(String.init).filter { $0 != "any" }
      guard let key = keys.last else { continue }
      let failed = samples.contains { sample in
        let context = PageContext.object(sample.context).removing(key)
        guard case .object(let context) = context else { return false }
        do throws(TemplateError) {
          _ = try library.render(page, with: context)
          return false
        } catch { return error.message.contains("has no value") }
      }
      #expect(failed, "no sample of \(page.file) reaches \(slot.name)")
    }
  }

  @Test("documents every slot a page uses", arguments: PageName.all)
  func documented(page: PageName) throws {
    let documents = try PageDocuments(directory: Self.root + "/Sources/Pages")
    let known = documents.names(of: page)
    #expect(!known.isEmpty)
    for slot in library.slots(of: page) where !slot.isInsideSharedPart {
      let name = slot.documentedName
      #expect(known.contains(name), "\(page.file) uses \(name), which PageName does not list")
    }
  }

  @Test("sends a form only to this server, with the CSRF token", arguments: SamplePage.all)
  func forms(sample: SamplePage) throws {
    let html = String(decoding: try library.render(sample.page, with: sample.context), as: UTF8.self)
    let base = if case .url(let base) = sample.context["base"] { base } else { "" }
    for form in html.split(separator: "<form ").dropFirst() {
      let content = form.split(separator: "</form>").first ?? ""
      // What goes to an app holds no token of ours.
      if [.formPost, .leave].contains(sample.page), content.contains("action=\"https://garden.example:8443/") {
        #expect(content.contains("method=\"post\"") && !content.contains("c5rf"))
        continue
      }
      #expect(content.contains("action=\"\(base)/"))
      // A form that only looks has no token, which would stand in the address.
      if content.contains("method=\"get\"") {
        #expect(!content.contains("c5rf"))
        continue
      }
      #expect(content.contains("method=\"post\""))
      // Programs send it, and what it carries is signed.
      if sample.page == .arcGISSignIn { continue }
      #expect(content.contains("<input type=\"hidden\" name=\"csrf\" value=\"c5rf\">"))
    }
  }

  @Test("begins every address of its own with the base", arguments: SamplePage.all)
  func links(sample: SamplePage) throws {
    guard case .url("/gate") = sample.context["base"] else { return }
    let html = String(decoding: try library.render(sample.page, with: sample.context), as: UTF8.self)
    for attribute in ["href=\"", "action=\"", "src=\""] {
      for link in html.split(separator: attribute).dropFirst().map({ $0.prefix { $0 != "\"" } }) {
        let ours = link.hasPrefix("/gate/") || link.hasPrefix("#") || link.hasPrefix("?")
        #expect(ours || link.hasPrefix("https://"), "\(sample): \(link)")
      }
    }
  }

  @Test("uses each id once, and points labels and descriptions at ids that exist", arguments: SamplePage.all)
  func ids(sample: SamplePage) throws {
    let html = String(decoding: try library.render(sample.page, with: sample.context), as: UTF8.self)
    let ids = html.values(of: "id")
    #expect(Set(ids).count == ids.count)
    for attribute in ["for", "aria-describedby", "aria-labelledby"] {
      for value in html.values(of: attribute) {
        for id in value.split(separator: " ") { #expect(ids.contains(String(id)), "\(sample): \(attribute) \(id)") }
      }
    }
    for link in html.values(of: "href") where link.hasPrefix("#") { #expect(ids.contains(String(link.dropFirst()))) }
  }

  @Test("says in the title and in a summary that a form was refused", arguments: SamplePage.all)
  func refusedForms(sample: SamplePage) throws {
    let html = String(decoding: try library.render(sample.page, with: sample.context), as: UTF8.self)
    let isRefused = sample.context["errors"]?.isTrue == true
    #expect(html.contains("<title>Error: ") == isRefused)
    #expect(html.contains("class=\"summary\"") == isRefused)
    #expect(html.contains("class=\"error\"") == isRefused)
  }

  @Test("reports every mistake in the folder, with file and line")
  func mistakes() throws {
    var pages = Dictionary(uniqueKeysWithValues: PageName.all.map { ($0.file, Array("ok".utf8)) })
    pages["home"] = Array("fine\n{{> broken}}".utf8)
    pages["setup"] = nil
    pages["stray"] = []
    let files = PageFiles(pages: pages, parts: ["broken": Array("a\n\n{{{raw}}}".utf8)])
    let failure = #expect(throws: PageLoadFailure.self) { try PageLibrary(files: files) }
    #expect(
      failure?.problems.map { "\($0.place.file):\($0.place.line)" } == [
        "stray.html:0", "setup.html:0", "parts/broken.html:3",
      ])
  }

  @Test("names the folder it cannot read")
  func missingFolder() {
    let failure = #expect(throws: PageLoadFailure.self) { try PageLibrary(directory: "/nonexistent") }
    #expect(failure?.problems.first?.place.file == "/nonexistent")
  }

  @Test("keeps the stylesheet within 20 KB")
  func stylesheet() throws {
    let data = try #require(FileManager.default.contents(atPath: Self.root + "/Public/assets/style.css"))
    #expect(data.count <= 20_480)
  }
}

extension PageContext {
  /// The value without any member called `name`, at any depth.
  func removing(_ name: String) -> PageContext {
    switch self {
    case .object(let object):
      .object(Object(object.members.filter { $0.key != name }.mapValues { $0.removing(name) }))
    case .list(let items): .list(items.map { $0.removing(name) })
    default: self
    }
  }
}

extension Slot {
  /// Whether the slot belongs to a time, a badge or a field, whose members are described once.
  var isInsideSharedPart: Bool {
    let inner = sections.last ?? ""
    let isChoice = ["state", "plan", "result"].contains(inner) && BadgeState(rawValue: name) != nil
    let isPlan = SignOutPlan(rawValue: name) != nil || SignOutResult(rawValue: name) != nil
    let isField = sections.contains { $0.hasPrefix("field.") } && !["id", "base", "csrf"].contains(name)
    return isChoice || isPlan || isField || name == "iso" || name == "text" || name == "."
  }

  /// The name as the documentation lists it: flags of a choice go by the choice's name.
  var documentedName: String {
    let names = name.split(separator: ".")
    guard let first = names.first, names.count > 1 else { return name }
    let whole = ["field", "count", "option"]
    return whole.contains(String(first)) ? names.prefix(2).joined(separator: ".") : String(first)
  }
}

extension String {
  /// The values of an attribute called `name` in an HTML text.
  func values(of name: String) -> [String] {
    split(separator: " \(name)=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }
}

/// The names in back ticks in the comments of the pages' names.
struct PageDocuments {
  private var names: [String: Set<String>] = [:]

  init(directory: String) throws {
    for file in ["PageName", "PortalPages", "SecurityPages", "ConnectPages", "AdministrationPages"] {
      let data = try #require(FileManager.default.contents(atPath: "\(directory)/\(file).swift"))
      read(String(decoding: data, as: UTF8.self))
    }
  }

  private mutating func read(_ file: String) {
    var comment = ""
    for line in file.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("///") {
        comment += text
      } else if text.hasPrefix("public struct") {
        names["every page"] = PageDocuments.quoted(in: comment)
        comment = ""
      } else if text.hasPrefix("public static let"), let name = text.split(separator: "\"").dropFirst().first {
        names[String(name)] = PageDocuments.quoted(in: comment)
        comment = ""
      }
    }
  }

  func names(of page: PageName) -> Set<String> {
    (names["every page"] ?? []).union(names[page.file] ?? [])
  }

  private static func quoted(in comment: String) -> Set<String> {
    let pieces = comment.split(separator: "`", omittingEmptySubsequences: false)
    return Set(pieces.indices.filter { $0 % 2 == 1 }.map { String(pieces[$0]) })
  }
}
