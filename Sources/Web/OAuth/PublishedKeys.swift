import Flows
import HTTP
import Synchronization

/// The keys that verify our tokens (RFC 7517 §5), made into a document once for each change of them.
final class PublishedKeys: Sendable {
  private let here: Installation
  private let made: Mutex<(revision: Int, document: PublishedDocument)>

  init(_ here: Installation) {
    self.here = here
    let keys = here.publishedKeys
    made = Mutex((keys.revision, Self.document(keys.document)))
  }

  private static func document(_ keys: [UInt8]) -> PublishedDocument { PublishedDocument(keys, maxAge: 300) }

  func answer(_ call: Call) -> Response {
    let keys = here.publishedKeys
    let document = made.withLock { made in
      if made.revision < keys.revision { made = (keys.revision, Self.document(keys.document)) }
      return made.document
    }
    return document.answer(call)
  }
}
