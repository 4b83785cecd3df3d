import HTTP
import CCurl
import COpenSSL
import Glibc

/// What libcurl calls while an exchange is under way, always on the outbound thread.
///
/// The context of each call is the ``CurlHandle`` itself: it outlives its easy handle, which alone makes the calls.
extension CurlHandle {
  func listen() throws(CurlRefusal) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    try check(unsafe ccurl_on_body(raw, bodyArrived, context))
    try check(unsafe ccurl_on_upload(raw, bodyWanted, context))
    try check(unsafe ccurl_on_header(raw, lineArrived, context))
    try check(unsafe ccurl_on_socket(raw, socketWanted, context))
    try check(unsafe ccurl_on_request(raw, connectionReady, context))
    try check(unsafe ccurl_on_tls(raw, handshakeAhead, context))
  }

  @unsafe fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
    unsafe context.map { unsafe Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Anything but the number of bytes taken ends the exchange.
private let bodyArrived: curl_write_callback = { bytes, size, count, context in
  let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  guard let handle = unsafe CurlHandle.from(context) else { return size * count + 1 }
  switch unsafe handle.exchange?.receive(body: piece) {
  case .taken: return size * count
  case .paused:
    handle.isPaused = true
    return Int(CURL_WRITEFUNC_PAUSE)
  case .refused, nil: return size * count + 1
  }
}

private let bodyWanted: curl_read_callback = { room, size, count, context in
  guard let room = unsafe room, let handle = unsafe CurlHandle.from(context), let source = handle.exchange?.source
  else { return Int(CURL_READFUNC_ABORT) }
  let taken = source.take(upTo: size * count) { span in
    unsafe span.withUnsafeBytes { bytes in
      if let first = bytes.baseAddress { unsafe memcpy(room, first, bytes.count) }
    }
  }
  switch taken {
  case .bytes(let count): return count
  case .end: return 0
  case .failure: return Int(CURL_READFUNC_ABORT)
  case .nothing:
    handle.isPaused = true
    return Int(CURL_READFUNC_PAUSE)
  }
}

private let lineArrived: curl_write_callback = { bytes, size, count, context in
  let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  let taken = unsafe CurlHandle.from(context)?.exchange?.receive(line: line) ?? false
  return taken ? size * count : size * count + 1
}

/// Opens a socket for an address only after the guard has seen that very address.
private let socketWanted: curl_opensocket_callback = { context, purpose, wanted in
  guard purpose == CURLSOCKTYPE_IPCXN, let wanted = unsafe wanted, let handle = unsafe CurlHandle.from(context) else {
    return curl_socket_t(-1)
  }
  var bytes = [UInt8](repeating: 0, count: 16)
  var port: UInt16 = 0
  let count = unsafe ccurl_address(wanted, &bytes, &port)
  guard let address = IPAddress(bytes: bytes.prefix(Int(count))),
    handle.exchange?.mayDial(address, port: Int(port)) == true
  else { return curl_socket_t(-1) }
  let kind = unsafe wanted.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
  return unsafe socket(wanted.pointee.family, kind, wanted.pointee.protocol)
}

/// Called for each request on each connection, new or kept, when nothing of the request has left yet.
private let connectionReady: curl_prereq_callback = { context, peer, _, port, _ in
  let address = unsafe peer.flatMap { unsafe IPAddress(String(cString: $0)) }
  let maySend = unsafe CurlHandle.from(context)?.exchange?.maySend(to: address, port: Int(port), at: .now)
  return maySend == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// Gives a new connection the certificates it is to trust.
private let handshakeAhead: curl_ssl_ctx_callback = { _, tls, context in
  guard let tls = unsafe tls, let handle = unsafe CurlHandle.from(context),
    let store = handle.trust.store(adding: handle.authorities)
  else { return CURLE_SSL_CACERT_BADFILE }
  unsafe store.install(in: OpaquePointer(tls))
  if let pin = handle.pin { unsafe handle.trust.pinned(pin).install(in: OpaquePointer(tls)) }
  // Only on a connection that ends with its exchange: a kept one could ask for a certificate when the handle is gone.
  if handle.exchange?.handshake != nil {
    unsafe SSL_CTX_set_cert_verify_callback(OpaquePointer(tls), chainShown, context)
    unsafe SSL_CTX_set_cert_cb(OpaquePointer(tls), certificateWanted, context)
    unsafe SSL_CTX_set_msg_callback(OpaquePointer(tls), messagePassed)
    unsafe SSL_CTX_ctrl(OpaquePointer(tls), SSL_CTRL_SET_MSG_CALLBACK_ARG, 0, context)
  }
  return CURLE_OK
}

/// Called with the certificates that the server showed, in place of OpenSSL's verification; notes them down and verifies.
private let chainShown: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { store, context in
  guard let store = unsafe store, let handle = unsafe CurlHandle.from(context) else { return 0 }
  handle.exchange?.handshake?.chain = unsafe PresentedChain.read(store)
  if let pin = handle.pin { return unsafe handle.trust.pinned(pin).verify(store) }
  return unsafe X509_verify_cert(store)
}

/// Called with each message of the handshake and each alert; an alert is two bytes, its level and its number.
private let messagePassed:
  @convention(c) (Int32, Int32, Int32, UnsafeRawPointer?, Int, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
    isOwn, _, type, bytes, count, _, context in
    guard isOwn == 0, type == SSL3_RT_ALERT, count == 2, let bytes = unsafe bytes,
      let handle = unsafe CurlHandle.from(context)
    else { return }
    let number = unsafe bytes.load(fromByteOffset: 1, as: UInt8.self)
    if number != SSL_AD_CLOSE_NOTIFY { handle.exchange?.handshake?.alert = number }
  }

/// Called when the server asks for a client certificate, in the handshake or after it; goes on with what there is.
private let certificateWanted: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { tls, context in
  if let tls = unsafe tls, let handle = unsafe CurlHandle.from(context) {
    handle.exchange?.handshake?.clientAuthorities = unsafe DistinguishedNames.clientAuthorities(of: tls)
  }
  return 1
}
