import CCurl

/// Owner of the libcurl multi handle, which carries many exchanges on one thread.
///
/// `@unchecked Sendable`: everything is called on the outbound thread alone, except `wake()`, which libcurl documents
/// as callable from any thread, and which ``Inbox`` calls only while the loop has not ended.
@safe final class CurlMulti: @unchecked Sendable {
  private let raw: UnsafeMutableRawPointer

  /// Keeps at most `kept` idle connections in each pool; `nil` when libcurl cannot start.
  init?(kept: Int) {
    guard Self.isLibraryReady, let multi = unsafe curl_multi_init() else { return nil }
    unsafe raw = multi
    unsafe ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, kept)
    unsafe ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
  }

  deinit { unsafe curl_multi_cleanup(raw) }

  /// Set up once in the process, before the first handle.
  private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  func add(_ handle: CurlHandle) -> Bool { unsafe curl_multi_add_handle(raw, handle.raw) == CURLM_OK }

  /// Takes a handle out; an exchange still under way ends, and its connection is closed.
  func remove(_ handle: CurlHandle) { unsafe curl_multi_remove_handle(raw, handle.raw) }

  /// Does what can be done without waiting.
  func perform() {
    var running: Int32 = 0
    unsafe curl_multi_perform(raw, &running)
  }

  /// Waits for a socket, a time limit, a wake-up, or `milliseconds`.
  func poll(milliseconds: Int32) { unsafe curl_multi_poll(raw, nil, 0, milliseconds, nil) }

  /// Ends a `poll` that is going on, or the next one.
  func wake() { unsafe curl_multi_wakeup(raw) }

  /// The next exchange that has ended, by its handle, and how.
  func nextEnded() -> (handle: CurlHandle.ID, code: CURLcode)? {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(raw, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else { continue }
      return (CurlHandle.ID(bitPattern: easy), unsafe ccurl_result(message))
    }
    return nil
  }
}
