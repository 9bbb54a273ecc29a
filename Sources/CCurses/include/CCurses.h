#ifndef CCURSES_H
#define CCURSES_H

// The wide-character functions, and no macros of their names.
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1

#include <curses.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <termios.h>
#include <wchar.h>

// What ncurses has as macros and global variables. One thread only.

extern const attr_t curses_bold, curses_dim, curses_italic, curses_underline, curses_reverse;

/// How many colours and pairs of colours there are, once `start_color` was called.
int curses_color_count(void);
int curses_pair_count(void);
/// Has `endwin` leave the terminal's palette as it is: nothing here changes it, and some readers
/// have one of their own.
void curses_keep_palette(void);

/// Has ncurses take and write UTF-8: in the locale of the environment where that is one of UTF-8,
/// else in one without a language. Changes LC_CTYPE only.
///
/// @return false where no such locale is installed
bool curses_use_utf8(void);
/// Columns of a character as ncurses sees it: -1 where it knows none.
int curses_width(wchar_t character);
/// `setcchar`, with a pair of any number.
///
/// @param characters  one that takes columns, then marks; ended by zero
bool curses_set_cell(
  cchar_t *cell, const wchar_t *characters, attr_t attributes, int pair);

// Terminfo. <term.h> defines hundreds of short names as macros, so it stays behind these functions.

/// Loads the description of a terminal on which nothing is drawn; false where there is none.
bool terminfo_load(const char *name, int fd);
/// A string capability of the terminal opened or loaded last, or NULL.
const char *terminfo_string(const char *capability);
/// A number capability, or -1.
int terminfo_number(const char *capability);

// Giving the terminal back, on every way out of the process.

/// From now on `guard_restore`, and any signal that ends the process, sets
/// `saved` on `input` and writes `bytes` to `output`. `bytes` must stay valid.
void guard_arm(int input, int output, const struct termios *saved, const char *bytes, size_t count);
/// Gives the terminal back if it is armed, and disarms. Async-signal-safe.
void guard_restore(void);
/// Has ncurses give the terminal back, and disarms.
void guard_leave(void);
/// Installs the handlers: signals that end, stop or resize the program put their
/// number, one byte, into `wake`; a fault gives the terminal back, then takes
/// its course. A second signal to end, while the first waits, ends at once.
void guard_install(int wake);
/// Holds back the signals of Ctrl-c, Ctrl-\ and Ctrl-z: `newterm` has the terminal send them until
/// `raw` is called, whatever its modes were.
void guard_hold_keys(void);
/// Ends that, and has those that were typed meanwhile read as keys.
void guard_release_keys(void);
/// A pipe for `guard_install`: neither end blocks, and no child inherits it.
bool guard_pipe(int ends[2]);
/// Says that the signal to end was taken note of.
void guard_acknowledge(void);
/// Stops the process as Ctrl-z does without a handler; returns when continued.
void guard_stop(void);

#endif
