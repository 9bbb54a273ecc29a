#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H

#include <stddef.h>

// libpq, the client library of PostgreSQL, which is loaded when it is first needed. If it were
// linked, it and its twenty or so dependencies would be loaded at every start.
//
// The part of its interface that is used here is declared according to its documentation
// (https://www.postgresql.org/docs/current/libpq.html), so that its headers need not be installed.

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;
/// A part of an address; the last one of an array has no keyword.
typedef struct {
  char *keyword;
  char *envvar;
  char *compiled;
  /// NULL if the address does not have this part.
  char *val;
  char *label;
  char *dispchar;
  int dispsize;
} PQconninfoOption;
/// The ID of a type.
typedef unsigned int Oid;

// The numbers are part of libpq's ABI (libpq.so.5).

/// The result of `status` if the connection can be used.
static const int postgresql_connection_ok = 0;
/// The result of `transactionStatus` if no transaction is open.
static const int postgresql_transaction_idle = 0;
/// The result of `resultStatus` if a statement without rows has succeeded.
static const int postgresql_command_ok = 1;
/// The result of `resultStatus` if a statement with rows has succeeded.
static const int postgresql_tuples_ok = 2;
/// The result of `resultStatus` for the end of a pipeline (`pipelineSync`).
static const int postgresql_pipeline_sync = 10;
/// The result of `pingParams` if no server answers.
static const int postgresql_ping_no_response = 2;
/// The field of an error with its SQLSTATE.
static const int postgresql_sqlstate = 'C';
/// The field of an error with its message, without details such as values.
static const int postgresql_message = 'M';

/// Functions of libpq, each with its name there without `PQ`.
typedef struct {
  PQconninfoOption *(*conninfoParse)(const char *address, char **message);
  void (*conninfoFree)(PQconninfoOption *);
  PGconn *(*connectdbParams)(
    const char *const *keywords, const char *const *values, int expand_dbname);
  int (*pingParams)(
    const char *const *keywords, const char *const *values, int expand_dbname);
  int (*setnonblocking)(PGconn *, int is_nonblocking);
  int (*socket)(const PGconn *);
  char *(*host)(const PGconn *);
  char *(*hostaddr)(const PGconn *);
  char *(*port)(const PGconn *);
  int (*status)(const PGconn *);
  int (*transactionStatus)(const PGconn *);
  char *(*errorMessage)(const PGconn *);
  void (*finish)(PGconn *);

  PGcancel *(*getCancel)(PGconn *);
  int (*cancel)(PGcancel *, char *message, int size);
  void (*freeCancel)(PGcancel *);

  int (*enterPipelineMode)(PGconn *);
  int (*sendQueryParams)(
    PGconn *, const char *sql, int count, const Oid *types,
    const char *const *values, const int *lengths,
    const int *formats, int result_format);
  int (*sendPrepare)(
    PGconn *, const char *name, const char *sql, int count, const Oid *types);
  int (*sendQueryPrepared)(
    PGconn *, const char *name, int count, const char *const *values,
    const int *lengths, const int *formats, int result_format);
  int (*pipelineSync)(PGconn *);
  int (*flush)(PGconn *);
  int (*consumeInput)(PGconn *);
  int (*isBusy)(PGconn *);
  PGresult *(*getResult)(PGconn *);

  int (*resultStatus)(const PGresult *);
  char *(*resultErrorField)(const PGresult *, int field);
  char *(*cmdStatus)(PGresult *);
  char *(*cmdTuples)(PGresult *);
  int (*ntuples)(const PGresult *);
  int (*nfields)(const PGresult *);
  char *(*fname)(const PGresult *, int column);
  Oid (*ftype)(const PGresult *, int column);
  int (*getisnull)(const PGresult *, int row, int column);
  int (*getlength)(const PGresult *, int row, int column);
  char *(*getvalue)(const PGresult *, int row, int column);
  void (*clear)(PGresult *);
} PostgreSQLLibrary;

/// Loads libpq once. It can be called on any thread.
///
/// @return NULL if libpq, version 14 or later, is not installed; then the next call tries again
const PostgreSQLLibrary *postgresql_library(void);

#endif
