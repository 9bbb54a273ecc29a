#ifndef CCURSES_H
#define CCURSES_H

// Declare the wide-character functions, and do not define macros with the names of functions.
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1

#include <curses.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <termios.h>
#include <wchar.h>

// Access to the macros and global variables of ncurses. Use it on one thread only.

extern const attr_t curses_bold, curses_dim, curses_italic, curses_underline, curses_reverse;

/// The numbers of colours and of colour pairs, after `start_color` was called.
int curses_color_count(void);
int curses_pair_count(void);
/// Makes `endwin` leave the terminal's palette unchanged. This program does not change the palette,
/// and a reset would discard the user's own colours.
void curses_keep_palette(void);

/// Makes ncurses read and write UTF-8. Uses the locale of the environment if its encoding is UTF-8,
/// or else C.UTF-8 or en_US.UTF-8. Sets LC_CTYPE only.
///
/// @return false if no UTF-8 locale is installed
bool curses_use_utf8(void);
/// The number of columns of a character according to wcwidth(3), which ncurses uses; -1 if unknown.
int curses_width(wchar_t character);
/// Calls `setcchar` with a colour pair of any number.
///
/// @param characters  a spacing character and its combining marks, terminated by zero
bool curses_set_cell(
  cchar_t *cell, const wchar_t *characters, attr_t attributes, int pair);

// Terminfo. <term.h> defines hundreds of short names as macros, so it is included only in Curses.c.

/// Loads the terminfo entry of a terminal without initializing the screen. Returns false if there
/// is no such entry.
bool terminfo_load(const char *name, int fd);
/// The value of a string capability of the terminal that was opened or loaded last, or NULL.
const char *terminfo_string(const char *capability);
/// The value of a numeric capability, or -1.
int terminfo_number(const char *capability);

// Restoring the terminal whenever the process ends.

/// From now on, `guard_restore`, exit(3) and fatal signals set the modes `saved` on `input` and
/// write `bytes`, which end in NUL, to `output`. `bytes` must stay valid and unchanged. If it is
/// NULL, nothing is written.
void guard_arm(int input, int output, const struct termios *saved, const char *bytes);
/// Replaces the bytes of `guard_arm`, atomically. The former bytes must stay valid as well.
void guard_set_bytes(const char *bytes);
/// Restores the terminal and disarms. Does nothing if not armed. Async-signal-safe.
void guard_restore(void);
/// Restores the terminal with ncurses and disarms.
void guard_leave(void);
/// Installs the signal handlers, and ignores SIGPIPE. For signals that ask the program to end or
/// stop, and for SIGWINCH, the handler writes the signal number as one byte to `wake`. If the same
/// signal to end the program arrives again before `guard_acknowledge`, the program ends at once,
/// except for SIGHUP. After SIGQUIT or a fault such as SIGSEGV, the handler redirects the output of
/// all threads to /dev/null, restores the terminal, and then lets the signal end the program.
void guard_install(int wake);
/// Cancels `guard_arm`, and restores the signal actions that `guard_install` replaced.
void guard_uninstall(void);
/// Blocks the signals of Ctrl-c, Ctrl-\ and Ctrl-z in the calling thread. `newterm` makes the
/// terminal send them until `raw` is called, even if its modes did not do so before.
void guard_hold_keys(void);
/// Unblocks the signals, and passes those that arrived in the meantime to ncurses as keys.
void guard_release_keys(void);
/// Creates a pipe for `guard_install`. Both ends are nonblocking and close-on-exec.
bool guard_pipe(int ends[2]);
/// Reports that the program handles the signal to end, so that the same signal does not end it at
/// once when it arrives again.
void guard_acknowledge(void);
/// Between `true` and `false`, another program of the process group has the terminal; SIGHUP is
/// passed on to it.
void guard_lend(bool lent);
/// Stops the process as Ctrl-z does by default. Returns when the process is continued.
void guard_stop(void);

#endif
