#include <sqlite3.h>

// Simulations use SQLite in several threads; see sqlite_disable_memory_statistics of CSQLite. Tests
// have no other place that runs before all of them.
__attribute__((constructor)) static void disable_memory_statistics(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
