public import Domain

/// What the audit row of a vend tells besides its columns.
public struct VendDetail: Sendable, Equatable {
  /// The request that Gatehouse made, such as `GET`; `nil` where the app wanted to make it itself.
  public private(set) var method: String?
  /// How long the token was good for; `nil` where the row does not say.
  public private(set) var seconds: Int64?
  /// The code of the refusal; `nil` for what was granted, and for a request that went out without a credential.
  public private(set) var refusal: Refusal.Code?
  /// Why it was refused: a word for what the person had to do, or a sentence.
  public private(set) var reason: String?
  /// The API key that the app showed, if it did.
  public private(set) var key: APIKeyID?
  /// The token of that key which it showed in its place, if it did.
  public private(set) var keyToken: APIKeyTokenID?
  /// Why an unattended job asked, in its own words; `nil` where the person had given the app a token.
  public private(set) var job: String?

  /// Stands between what a row says of itself and the reason that a job gave.
  fileprivate static let unattended = "; unattended: "
  /// Stands between that and the API key.
  fileprivate static let byKey = "; by "

  /// Reads `token … for 1800 s`, `proxied GET with token …` or `invalid_target: No connection …`, each with
  /// `; unattended: …` behind it where a job asked, or `; by key_…` where an API key was shown, with
  /// `, child_…` where it was a token of one.
  public init(of event: AuditEvent) {
    // What stands before is ours: whatever the job wrote comes behind the first mark.
    var text = (event.detail ?? "")[...]
    if let mark = text.firstRange(of: Self.unattended) {
      job = String(text[mark.upperBound...])
      text = text[..<mark.lowerBound]
    }
    if let mark = text.firstRange(of: Self.byKey) {
      let shown = text[mark.upperBound...].split(separator: ", ", maxSplits: 1).map(String.init)
      key = shown.first.flatMap { APIKeyID($0) }
      keyToken = shown.count == 2 ? APIKeyTokenID(shown[1]) : nil
      text = text[..<mark.lowerBound]
    }
    let words = text.split(separator: " ")
    if words.first == "proxied", words.count > 1 { method = String(words[1]) }
    guard event.outcome == .success else {
      let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
      refusal = parts.count == 2 ? Refusal.Code(rawValue: parts[0]) : nil
      reason = refusal == nil ? event.detail.map { _ in String(text) } : parts[1]
      return
    }
    if words.count >= 2, words.last == "s" { seconds = Int64(words[words.count - 2]) }
  }
}

extension VendRequest {
  /// What the audit row of this request says, with the reason of the job that asked
  /// and with the API key that was shown.
  func detail(_ text: String) -> String {
    text + (key.map { VendDetail.byKey + $0.shownID } ?? "")
      + (unattended.map { VendDetail.unattended + $0.reason } ?? "")
  }
}
