#pragma once
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pkcs7.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
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

// The alternative names of a certificate: OpenSSL's lists are macros, and what a name is stands in a union.
static inline GENERAL_NAMES *copenssl_alternative_names(const X509 *certificate) {
  return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}
static inline int copenssl_name_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline int copenssl_name_kind(const GENERAL_NAMES *names, int index) {
  return sk_GENERAL_NAME_value(names, index)->type;
}
// The text or address of a name, which belongs to the list; NULL for one of another kind.
static inline const uint8_t *copenssl_name_bytes(const GENERAL_NAMES *names, int index, int *count) {
  const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
  const ASN1_STRING *text = NULL;
  switch (name->type) {
  case GEN_EMAIL: text = name->d.rfc822Name; break;
  case GEN_DNS: text = name->d.dNSName; break;
  case GEN_URI: text = name->d.uniformResourceIdentifier; break;
  case GEN_IPADD: text = name->d.iPAddress; break;
  }
  *count = text ? ASN1_STRING_length(text) : 0;
  return text ? ASN1_STRING_get0_data(text) : NULL;
}
