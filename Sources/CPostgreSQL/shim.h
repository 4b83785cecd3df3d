#pragma once
#include <libpq-fe.h>

// The fields of an error are named by character constants.
enum {
  CPOSTGRESQL_SQLSTATE = PG_DIAG_SQLSTATE,
  CPOSTGRESQL_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
  CPOSTGRESQL_TABLE = PG_DIAG_TABLE_NAME,
  CPOSTGRESQL_COLUMN = PG_DIAG_COLUMN_NAME,
  CPOSTGRESQL_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME,
};

// Notices go nowhere: libpq would write them to standard error.
static inline void cpostgresql_forget_notice(void *arg, const PGresult *notice) {}
static inline void cpostgresql_forget_notices(PGconn *connection) {
  PQsetNoticeReceiver(connection, cpostgresql_forget_notice, 0);
}
