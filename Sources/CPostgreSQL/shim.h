#pragma once

// Debian has the header in a directory of its own.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

/// The field of an error with its SQLSTATE.
static const int postgresql_sqlstate = PG_DIAG_SQLSTATE;
/// The field of an error with its message, without details such as values.
static const int postgresql_message = PG_DIAG_MESSAGE_PRIMARY;
