#pragma once
#include <gssapi/gssapi.h>
#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>
#include <krb5.h>
#include <profile.h>
#include <linux/memfd.h>

// Declared by the headers only under _GNU_SOURCE, with which they would differ from what Swift's C importer sees.
extern int memfd_create(const char *name, unsigned int flags);

// Names of mechanisms and of name types: pointers and macros with casts, which Swift does not see.
static inline gss_OID cgss_spnego(void) {
  static gss_OID_desc spnego = {6, (void *)"\x2b\x06\x01\x05\x05\x02"};
  return &spnego;
}

static inline gss_OID cgss_kerberos(void) { return (gss_OID)gss_mech_krb5; }

static inline gss_OID cgss_principal_name(void) { return (gss_OID)GSS_KRB5_NT_PRINCIPAL_NAME; }

// Whether a major status says that a call failed.
static inline int cgss_failed(OM_uint32 major) { return GSS_ERROR(major) != 0; }

// A file that is in memory alone, and gone with its descriptor.
static inline int ckrb_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }
