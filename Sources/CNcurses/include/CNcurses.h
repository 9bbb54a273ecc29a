#ifndef CNCURSES_H
#define CNCURSES_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

// Terminfo, as ncurses reads it. <term.h> defines hundreds of short names as
// macros, so it stays behind these functions. One thread only.

/// Loads the description of a terminal; false where there is none.
bool terminfo_load(const char *name, int fd);
/// A string capability, or NULL. Valid until the next load.
const char *terminfo_string(const char *capability);
/// A number capability, or -1.
int terminfo_number(const char *capability);
bool terminfo_flag(const char *capability);
/// A capability with its parameters filled in. Valid until the next call.
const char *terminfo_format(const char *string, int first, int second);

// Giving the terminal back, on every way out of the process.

/// From now on `guard_restore`, and any signal that ends the process, sets
/// `saved` on `input` and writes `bytes` to `output`. `bytes` must stay valid.
void guard_arm(int input, int output, const struct termios *saved, const char *bytes, size_t count);
/// Gives the terminal back if it is armed, and disarms. Async-signal-safe.
void guard_restore(void);
/// Installs the handlers: signals that end, stop or resize the program put their
/// number, one byte, into `wake`; a fault gives the terminal back, then takes
/// its course. A second signal to end, while the first waits, ends at once.
void guard_install(int wake);
/// A pipe for `guard_install`: neither end blocks, and no child inherits it.
bool guard_pipe(int ends[2]);
/// Says that the signal to end was taken note of.
void guard_acknowledge(void);
/// Stops the process as Ctrl-z does without a handler; returns when continued.
void guard_stop(void);

#endif
