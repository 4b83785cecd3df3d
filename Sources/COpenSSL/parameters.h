#pragma once
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pkcs7.h>
#include <openssl/x509.h>
#include <stdint.h>

// OSSL_PARAM arrays point into their arguments and cast const away, which reads badly in Swift.

static inline int copenssl_hmac_sha256_start(EVP_MAC_CTX *context, const uint8_t *key, size_t count) {
  OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
    OSSL_PARAM_construct_end(),
  };
  return EVP_MAC_init(context, key, count, parameters);
}

static inline int copenssl_hkdf_sha256(
  EVP_KDF_CTX *context, const uint8_t *key, size_t keyCount, const uint8_t *salt, size_t saltCount,
  const uint8_t *info, size_t infoCount, uint8_t *out, size_t outCount
) {
  OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
    OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, keyCount),
    OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, saltCount),
    OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, infoCount),
    OSSL_PARAM_construct_end(),
  };
  return EVP_KDF_derive(context, out, outCount, parameters);
}

// How names are written: RFC 4514, but with letters outside ASCII as they are. Swift does not see composed macros.
static const unsigned long copenssl_name_format = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;

// The parts of an error, which OpenSSL 3 reads by functions that Swift does not see.
static inline int copenssl_reason(unsigned long error) { return ERR_GET_REASON(error); }
static inline int copenssl_library(unsigned long error) { return ERR_GET_LIB(error); }

// How encrypted content is encrypted; it stands in a union.
static inline const X509_ALGOR *copenssl_encryption_of(const PKCS7 *content) {
  return PKCS7_type_is_encrypted(content) && content->d.encrypted ? content->d.encrypted->enc_data->algorithm : NULL;
}
