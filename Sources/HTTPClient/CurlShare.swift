import CCurl

/// Owner of one pool of kept connections and TLS sessions; handles of another pool never see them.
///
/// Used on the outbound thread only, so it needs no locks.
@safe final class CurlShare {
  let raw: UnsafeMutableRawPointer

  init?() {
    guard let share = unsafe curl_share_init() else { return nil }
    unsafe raw = share
    guard unsafe ccurl_share(share, CURL_LOCK_DATA_CONNECT) == CURLSHE_OK,
      unsafe ccurl_share(share, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK
    else { return nil }
  }

  /// Closes the kept connections; every handle must have left the pool before.
  deinit { unsafe curl_share_cleanup(raw) }
}
