#pragma once
#include <arpa/inet.h>
#include <curl/curl.h>
#include <stddef.h>

// curl_easy_setopt and its like are variadic, which Swift cannot call: one function for each kind of argument.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

// Without a copy, the bytes must stay where they are until the option is set again.
static inline CURLcode ccurl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count, int copies) {
  struct curl_blob blob = {(void *)bytes, count, copies ? CURL_BLOB_COPY : CURL_BLOB_NOCOPY};
  return curl_easy_setopt(easy, option, bytes ? &blob : NULL);
}

// libcurl copies the body; its size is set first, so that it may hold NUL.
static inline CURLcode ccurl_set_body(CURL *easy, const void *bytes, size_t count) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return code ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

static inline CURLcode ccurl_on_body(CURL *easy, curl_write_callback call, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, call);
  return code ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

// A body that is read bit by bit; `size` is -1 when nobody knows it.
static inline CURLcode ccurl_set_upload(CURL *easy, curl_off_t size) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
  return code ? code : curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, size);
}

static inline CURLcode ccurl_on_upload(CURL *easy, curl_read_callback call, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, call);
  return code ? code : curl_easy_setopt(easy, CURLOPT_READDATA, context);
}

static inline CURLcode ccurl_on_header(CURL *easy, curl_write_callback call, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, call);
  return code ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

static inline CURLcode ccurl_on_socket(CURL *easy, curl_opensocket_callback call, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, call);
  return code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

static inline CURLcode ccurl_on_request(CURL *easy, curl_prereq_callback call, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, call);
  return code ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

static inline CURLcode ccurl_on_tls(CURL *easy, curl_ssl_ctx_callback call, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, call);
  return code ? code : curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, context);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_text(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLSHcode ccurl_share(CURLSH *share, curl_lock_data what) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, what);
}

// The schemes of CURLOPT_HTTPAUTH are macros with casts, which Swift does not see.
static const long ccurl_auth_basic = (long)CURLAUTH_BASIC;
static const long ccurl_auth_digest = (long)CURLAUTH_DIGEST;
static const long ccurl_auth_ntlm = (long)CURLAUTH_NTLM;

// The result of a message stands in a union, which Swift sees without its names.
static inline CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }

// The address and port (host byte order) behind a socket address: 4 or 16 bytes written, 0 for any other family.
static inline int ccurl_address(const struct curl_sockaddr *from, unsigned char to[16], unsigned short *port) {
  if (from->family == AF_INET && from->addrlen >= sizeof(struct sockaddr_in)) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)&from->addr;
    __builtin_memcpy(to, &v4->sin_addr, 4);
    *port = ntohs(v4->sin_port);
    return 4;
  }
  if (from->family == AF_INET6 && from->addrlen >= sizeof(struct sockaddr_in6)) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)&from->addr;
    __builtin_memcpy(to, &v6->sin6_addr, 16);
    *port = ntohs(v6->sin6_port);
    return 16;
  }
  return 0;
}
