import CCurl
import Domain

/// Owner of one libcurl handle that sends mails, one after another, over one connection where the server lets it.
///
/// Its calls block, and are made on the mail queue alone.
@safe final class SMTPHandle {
  private let raw: UnsafeMutableRawPointer
  private let message: UnsafeMutableBufferPointer<CChar>
  /// What is being sent, which the callback reads.
  private let reading = Reading()

  /// `nil` when libcurl is out of memory.
  init?(_ server: MailServer) {
    guard let easy = unsafe curl_easy_init() else { return nil }
    unsafe raw = easy
    unsafe message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe message.initialize(repeating: 0)
    do { try prepare(server) } catch { return nil }
  }

  deinit {
    unsafe curl_easy_cleanup(raw)
    unsafe message.deallocate()
  }

  private struct Refused: Error {}

  private func prepare(_ server: MailServer) throws {
    let scheme = if case .tls = server.protection { "smtps" } else { "smtp" }
    try check(unsafe ccurl_set_long(raw, CURLOPT_NOSIGNAL, 1))
    try check(unsafe ccurl_set_text(raw, CURLOPT_PROTOCOLS_STR, "smtp,smtps"))
    try check(unsafe ccurl_set_text(raw, CURLOPT_PROXY, ""))
    try check(unsafe ccurl_set_text(raw, CURLOPT_URL, "\(scheme)://\(server.host):\(server.port)/\(server.clientName)"))
    if case .startTLS = server.protection {
      try check(unsafe ccurl_set_long(raw, CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)))
    }
    try check(unsafe ccurl_set_long(raw, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)))
    if let authorities = server.authorities {
      // The system's own stand in a directory of their own, which stays.
      try check(unsafe ccurl_set_text(raw, CURLOPT_CAINFO, authorities))
    }
    try check(unsafe ccurl_set_long(raw, CURLOPT_CONNECTTIMEOUT_MS, 10_000))
    try check(unsafe ccurl_set_long(raw, CURLOPT_TIMEOUT_MS, 30_000))
    try check(unsafe ccurl_set_long(raw, CURLOPT_SERVER_RESPONSE_TIMEOUT, 15))
    if let username = server.username, let password = server.password {
      try check(unsafe ccurl_set_text(raw, CURLOPT_USERNAME, username))
      try check(unsafe ccurl_set_text(raw, CURLOPT_PASSWORD, password.revealedText))
    }
    let words = unsafe UnsafeMutableRawPointer(message.baseAddress)
    try check(unsafe ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, words))
    let context = unsafe Unmanaged.passUnretained(reading).toOpaque()
    try check(unsafe ccurl_on_upload(raw, Self.read, context))
  }

  private func check(_ code: CURLcode) throws(Refused) {
    guard code == CURLE_OK else { throw Refused() }
  }

  private final class Reading {
    var rest: ArraySlice<UInt8> = []
  }

  private static let read: curl_read_callback = { buffer, size, count, context in
    guard let buffer = unsafe buffer, let context = unsafe context else { return 0 }
    let reading = unsafe Unmanaged<Reading>.fromOpaque(context).takeUnretainedValue()
    let part = reading.rest.prefix(size * count)
    let room = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
    unsafe room.copyBytes(from: part)
    reading.rest = reading.rest.dropFirst(part.count)
    return part.count
  }

  /// Sends one mail, and returns when the server has taken it.
  func send(_ mail: MailMessage) throws(MailFailure) {
    let bytes = mail.bytes
    var recipients: UnsafeMutablePointer<curl_slist>?
    unsafe recipients = curl_slist_append(nil, mail.recipient.text)
    defer { unsafe curl_slist_free_all(recipients) }
    reading.rest = bytes[...]
    unsafe message[0] = 0
    let code: CURLcode
    do throws(Refused) {
      try check(unsafe ccurl_set_text(raw, CURLOPT_MAIL_FROM, mail.sender.address.text))
      try check(unsafe ccurl_set_list(raw, CURLOPT_MAIL_RCPT, recipients))
      try check(unsafe ccurl_set_upload(raw, curl_off_t(bytes.count)))
      code = unsafe curl_easy_perform(raw)
      // Freed in a moment, so that the handle must not point there.
      try check(unsafe ccurl_set_list(raw, CURLOPT_MAIL_RCPT, nil))
    } catch { throw MailFailure(description: "libcurl does not take the mail.", hasAnswered: false) }
    guard code != CURLE_OK else { return }
    var status = 0
    unsafe ccurl_get_long(raw, CURLINFO_RESPONSE_CODE, &status)
    let words = unsafe message[0] == 0 ? curl_easy_strerror(code) : UnsafePointer(message.baseAddress)
    let text = unsafe words.map { unsafe String(cString: $0) } ?? "unknown"
    throw MailFailure(description: text, hasAnswered: status >= 400)
  }
}
