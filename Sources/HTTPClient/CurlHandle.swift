import CCurl
import HTTP

/// Owner of one libcurl easy handle, used for one exchange after another; outbound thread only.
@safe final class CurlHandle {
  typealias ID = UInt

  let raw: UnsafeMutableRawPointer
  let trust: TrustStores
  /// The exchange under way, which the callbacks consult and feed.
  var exchange: Exchange?
  /// Whether one of the bodies waits to be taken on.
  var isPaused = false
  /// The path of the certificates that the exchange trusts besides the system's.
  private(set) var authorities: String?
  /// The key that the exchange trusts in their place.
  private(set) var pin: ServerPin?
  /// Whether it has applied a login: libcurl would answer the next server with what it knows of the last one's challenge.
  private(set) var remembersLogin = false
  private var key: KeyBuffer?
  private var fields: UnsafeMutablePointer<curl_slist>?
  private let message: UnsafeMutableBufferPointer<CChar>

  /// A handle with everything set that never changes; `nil` when libcurl is out of memory.
  init?(trust: TrustStores, userAgent: String) {
    guard let easy = unsafe curl_easy_init() else { return nil }
    unsafe raw = easy
    self.trust = trust
    unsafe message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe message.initialize(repeating: 0)
    do {
      try setForGood(userAgent: userAgent)
      try listen()
    } catch {
      return nil
    }
  }

  deinit {
    unsafe curl_easy_cleanup(raw)
    unsafe curl_slist_free_all(fields)
    unsafe message.deallocate()
  }

  var id: ID { unsafe ID(bitPattern: raw) }

  /// Readies the handle for the request of `job`; every option that a request can change is set here.
  func prepare(_ job: Job, in pool: CurlShare, time: Duration) throws(CurlRefusal) {
    let request = job.request
    exchange = Exchange(request, to: job.url, answer: job.answer)
    authorities = request.authorities
    pin = request.pin
    isPaused = false
    unsafe message[0] = 0
    unsafe try set(CURLOPT_SHARE, pointer: pool.raw)
    try set(CURLOPT_URL, job.url.description)
    try set(CURLOPT_FRESH_CONNECT, request.mayReuseConnection && !needsOwnConnection(request) ? 0 : 1)
    try set(CURLOPT_FORBID_REUSE, request.observesHandshake ? 1 : 0)
    try set(CURLOPT_SSL_SESSIONID_CACHE, request.observesHandshake || request.pin?.hasEnded == true ? 0 : 1)
    try set(CURLOPT_CONNECTTIMEOUT_MS, min(request.limits.connect, time).milliseconds)
    try set(CURLOPT_TIMEOUT_MS, time.milliseconds)
    try set(CURLOPT_LOW_SPEED_LIMIT, request.limits.silence == nil ? 0 : 1)
    try set(CURLOPT_LOW_SPEED_TIME, request.limits.silence.map { max(1, Int($0.components.seconds)) } ?? 0)
    try set(CURLOPT_BUFFERSIZE, job.answer == nil ? Self.usualBuffer : Self.streamBuffer)
    if let stream = request.stream {
      try set(uploadOf: stream.length, by: request.method)
    } else {
      try set(method: request.method, body: request.body)
    }
    try set(request.headers, hasBody: !request.body.isEmpty || request.stream != nil)
    try set(login: request.network?.login)
    key = try set(certificate: request.network?.certificate)
  }

  /// Whether no kept connection will do: a resumed handshake hides what is to be observed, a key that is trusted no longer
  /// must be refused, and a connection that the
  /// server takes for unknown again could not get a streamed body a second time.
  private func needsOwnConnection(_ request: OutboundRequest) -> Bool {
    request.observesHandshake || request.pin?.hasEnded == true
      || request.stream != nil && request.network?.login?.scheme == .ntlm
  }

  /// Bytes that are read at once.
  private static let usualBuffer = 16 << 10
  private static let streamBuffer = 128 << 10

  /// Goes on with the bodies that waited.
  func resume() {
    guard isPaused else { return }
    isPaused = false
    // An exchange that cannot go on tells so as one that has ended.
    unsafe curl_easy_pause(raw, CURLPAUSE_CONT)
  }

  /// Forgets the request and its secrets, and leaves the pool; the handle must not be in a multi handle.
  func recycle() throws(CurlRefusal) {
    exchange = nil
    authorities = nil
    pin = nil
    unsafe try set(CURLOPT_HTTPHEADER, fields: nil)
    try set(CURLOPT_COPYPOSTFIELDS, nil)
    try set(login: nil)
    key = try set(certificate: nil)
    unsafe try set(CURLOPT_SHARE, pointer: nil)
  }

  /// The status of the answer.
  var status: Int {
    var status = 0
    unsafe ccurl_get_long(raw, CURLINFO_RESPONSE_CODE, &status)
    return status
  }

  /// Why OpenSSL did not trust the server's certificate; 0 when it did.
  var verifyResult: Int {
    var result = 0
    unsafe ccurl_get_long(raw, CURLINFO_SSL_VERIFYRESULT, &result)
    return result
  }

  /// What libcurl says of an exchange that ended with `code`.
  func explanation(of code: CURLcode) -> String {
    let words = unsafe message[0] == 0 ? curl_easy_strerror(code) : UnsafePointer(message.baseAddress)
    return unsafe words.map { unsafe String(cString: $0) } ?? ""
  }
}

/// The answer of libcurl to an option it does not take.
struct CurlRefusal: Error {
  let code: CURLcode
}

extension CurlHandle {
  private func setForGood(userAgent: String) throws(CurlRefusal) {
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    try set(CURLOPT_PATH_AS_IS, 1)
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    try set(CURLOPT_PROXY, "")
    try set(CURLOPT_NOPROXY, "*")
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(CURLOPT_USERAGENT, userAgent)
    // A name server that does not answer must not hold up everybody: the look-up is left to end by itself.
    try set(CURLOPT_QUICK_EXIT, 1)
    // The trust store is ours (TrustStore), so libcurl reads no certificates and keeps none.
    try set(CURLOPT_CAPATH, nil)
    try set(CURLOPT_CAINFO, nil)
    try set(CURLOPT_CA_CACHE_TIMEOUT, 0)
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    unsafe try set(CURLOPT_ERRORBUFFER, pointer: UnsafeMutableRawPointer(message.baseAddress))
  }

  private func set(uploadOf length: Int?, by method: Method) throws(CurlRefusal) {
    try set(CURLOPT_NOBODY, 0)
    try check(unsafe ccurl_set_upload(raw, curl_off_t(length ?? -1)))
    try set(CURLOPT_UPLOAD_BUFFERSIZE, Self.streamBuffer)
    try set(CURLOPT_CUSTOMREQUEST, method.name)
  }

  private func set(method: Method, body: [UInt8]) throws(CurlRefusal) {
    try set(CURLOPT_UPLOAD, 0)
    try set(CURLOPT_NOBODY, 0)
    try set(CURLOPT_CUSTOMREQUEST, nil)
    if body.isEmpty && !["POST", "PUT", "PATCH"].contains(method.name) {
      try set(CURLOPT_HTTPGET, 1)
      if method == .head { return try set(CURLOPT_NOBODY, 1) }
    } else {
      // Never a null pointer: libcurl would read the body from standard input.
      let bytes = body.isEmpty ? [0] : body
      try check(unsafe bytes.withUnsafeBytes { unsafe ccurl_set_body(raw, $0.baseAddress, body.count) })
    }
    if method != .get || !body.isEmpty { try set(CURLOPT_CUSTOMREQUEST, method.name) }
  }

  private func set(login: NetworkCredential.Login?) throws(CurlRefusal) {
    try set(CURLOPT_HTTPAUTH, login?.scheme.mark ?? 0)
    try set(CURLOPT_USERNAME, bytes: login?.username)
    try set(CURLOPT_PASSWORD, bytes: login?.password)
    remembersLogin = remembersLogin || login != nil
  }

  private func set(_ option: CURLoption, bytes: [UInt8]?) throws(CurlRefusal) {
    guard let bytes else { return unsafe try set(option, pointer: nil) }
    let code = unsafe (bytes + [0]).withUnsafeBytes { bytes in
      unsafe ccurl_set_pointer(raw, option, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
    try check(code)
  }

  private func set(_ headers: Headers, hasBody: Bool) throws(CurlRefusal) {
    // To libcurl `name:` takes back what it would add by itself, and `name;` is a field without value.
    var lines = hasBody ? ["expect:"] : []
    if headers["content-type"] == nil { lines.append("content-type:") }
    for field in headers.fields {
      let isBlank = field.value.text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      lines.append(isBlank ? "\(field.name.text);" : "\(field.name.text): \(field.value.text)")
    }
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = unsafe curl_slist_append(list, line) else {
        unsafe curl_slist_free_all(list)
        throw CurlRefusal(code: CURLE_OUT_OF_MEMORY)
      }
      unsafe list = longer
    }
    unsafe try set(CURLOPT_HTTPHEADER, fields: list)
  }

  /// Gives libcurl the fields of the next request and frees those of the last.
  private func set(_ option: CURLoption, fields list: UnsafeMutablePointer<curl_slist>?) throws(CurlRefusal) {
    let code = unsafe ccurl_set_list(raw, option, list)
    unsafe curl_slist_free_all(fields)
    unsafe fields = list
    try check(code)
  }

  private func set(_ option: CURLoption, _ value: Int) throws(CurlRefusal) {
    try check(unsafe ccurl_set_long(raw, option, value))
  }

  private func set(_ option: CURLoption, _ text: String?) throws(CurlRefusal) {
    try check(unsafe ccurl_set_text(raw, option, text))
  }

  private func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) throws(CurlRefusal) {
    try check(unsafe ccurl_set_pointer(raw, option, pointer))
  }

  func check(_ code: CURLcode) throws(CurlRefusal) {
    guard code == CURLE_OK else { throw CurlRefusal(code: code) }
  }
}

extension NetworkCredential.Login.Scheme {
  /// One bit alone: libcurl would prefer what it thinks stronger, and send a password once more where that fails.
  fileprivate var mark: Int {
    switch self {
    case .basic: ccurl_auth_basic
    case .digest: ccurl_auth_digest
    case .ntlm: ccurl_auth_ntlm
    }
  }
}

extension Duration {
  /// Whole milliseconds, at least 1 (libcurl reads 0 as no limit) and at most a day.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    if seconds >= 86_400 { return 86_400_000 }
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
