#pragma once

#include <sqlite3.h>

/// Implements json_valid with a statement of another connection, which is opened at the first call.
/// The statement is stored in the user data of the function.
static void sqlite_json_valid(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_stmt **data = (sqlite3_stmt **)sqlite3_user_data(context);
  int result = SQLITE_OK;
  if (*data == 0) {
    sqlite3 *other = 0;
    result = sqlite3_open(":memory:", &other);
    if (result == SQLITE_OK)
      result = sqlite3_prepare_v2(other, "SELECT json_valid(?)", -1, data, 0);
    if (result != SQLITE_OK) {
      sqlite3_close(other);
      sqlite3_result_error_code(context, result);
      return;
    }
  }
  sqlite3_stmt *statement = *data;
  result = sqlite3_bind_value(statement, 1, values[0]);
  if (result == SQLITE_OK) result = sqlite3_step(statement);
  if (result == SQLITE_ROW)
    sqlite3_result_value(context, sqlite3_column_value(statement, 0));
  else
    sqlite3_result_error_code(context, result);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
}

static void sqlite_json_valid_end(void *function_data) {
  sqlite3_stmt **data = (sqlite3_stmt **)function_data;
  if (*data != 0) {
    sqlite3 *other = sqlite3_db_handle(*data);
    sqlite3_finalize(*data);
    sqlite3_close(other);
  }
  sqlite3_free(data);
}

/// Lets a schema that is not trusted use json_valid, which is not innocuous (SQLITE_INNOCUOUS) in
/// SQLite 3.40. Returns SQLite's result code.
static int sqlite_allow_json_valid(sqlite3 *db) {
  sqlite3_stmt **data = (sqlite3_stmt **)sqlite3_malloc(sizeof(sqlite3_stmt *));
  if (data == 0) return SQLITE_NOMEM;
  *data = 0;
  return sqlite3_create_function_v2(
      db, "json_valid", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, data,
      sqlite_json_valid, 0, 0, sqlite_json_valid_end);
}

/// Keeps SQLite from counting the memory that it uses. One lock, which all connections of a process
/// share, protects the counters, and this program does not read them. sqlite3_config is variadic,
/// so Swift cannot call it.
///
/// Must be called before any other function of SQLite, while no other thread uses SQLite. A later
/// call changes nothing. Returns SQLite's result code.
static inline int sqlite_disable_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Sets whether a schema may use functions that are not innocuous. VACUUM needs this for
/// json_valid, because it uses SQLite's own json_valid, not the one above. Returns SQLite's result
/// code.
static inline int sqlite_set_trusted_schema(sqlite3 *db, int trusted) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, trusted, (int *)0);
}

/// Keeps a database file from running anything that it defines: no views, no triggers, only
/// innocuous functions in its schema, and no writing to the schema itself. sqlite3_db_config is
/// variadic, so Swift cannot call it.
///
/// Returns SQLite's result code.
static inline int sqlite_distrust_schema(sqlite3 *db) {
  int result = sqlite_set_trusted_schema(db, 0);
  if (result == SQLITE_OK) result = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (result == SQLITE_OK)
    result = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  if (result == SQLITE_OK) result = sqlite_allow_json_valid(db);
  return result;
}
