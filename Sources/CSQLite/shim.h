#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast macro, which Swift cannot import.
// Without a pointer it would be NULL that is bound, not the empty text.
static inline int csqlite_bind_text(sqlite3_stmt *s, int i, const unsigned char *p, int n) {
  return sqlite3_bind_text(s, i, p == 0 ? "" : (const char *)p, n, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_blob(sqlite3_stmt *s, int i, const void *p, int n) {
  return n == 0 ? sqlite3_bind_zeroblob(s, i, 0) : sqlite3_bind_blob(s, i, p, n, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int csqlite_configure(sqlite3 *db, int option, int on) {
  return sqlite3_db_config(db, option, on, (int *)0);
}

// sqlite3_config is variadic, too.
static inline int csqlite_forgo_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// Extended result codes are macros with shifts, which Swift cannot import.
enum {
  CSQLITE_CONSTRAINT_PRIMARYKEY = SQLITE_CONSTRAINT_PRIMARYKEY,
  CSQLITE_CONSTRAINT_UNIQUE = SQLITE_CONSTRAINT_UNIQUE,
  CSQLITE_CONSTRAINT_ROWID = SQLITE_CONSTRAINT_ROWID,
  CSQLITE_IOERR_NOMEM = SQLITE_IOERR_NOMEM,
};
