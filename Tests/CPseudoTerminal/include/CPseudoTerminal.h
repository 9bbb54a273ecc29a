#ifndef CPSEUDOTERMINAL_H
#define CPSEUDOTERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// What a started program finds as one of its standard descriptors, where it
/// is not an open descriptor of ours.
enum {
  /// The terminal it is started on.
  PSEUDO_TERMINAL_INHERIT = -1,
  /// Nothing: the descriptor is closed.
  PSEUDO_TERMINAL_CLOSED = -2,
  /// `/dev/null`
  PSEUDO_TERMINAL_NULL = -3,
};

/// Opens a pseudo-terminal of a size. Both ends are closed on exec, the
/// master does not block, and neither becomes our controlling terminal.
///
/// @param path  receives the name of the slave, at least 64 bytes
/// @return 0, or the errno of what failed
int pseudo_terminal_open(int rows, int columns, int *master, int *slave, char *path);

/// Gives the terminal a size; the kernel sends SIGWINCH to who runs on it.
int pseudo_terminal_resize(int master, int rows, int columns);

/// Turns off the keys that the line discipline answers itself: Ctrl-c, Ctrl-z,
/// Ctrl-\, Ctrl-s and Ctrl-q arrive as bytes even in cooked mode.
int pseudo_terminal_disable_signal_keys(int descriptor);

/// Writes every termios setting as text, to compare one moment with another.
int pseudo_terminal_settings(int descriptor, char *text, size_t size);

/// How many typed bytes nobody has read yet, or -1.
int pseudo_terminal_unread(int slave);

/// Starts a program as the leader of a new session, with signals as a login
/// shell would leave them and no descriptors beyond the standard three.
///
/// @param terminal     name of the slave that becomes its controlling terminal,
///                     or NULL for none
/// @param descriptors  the standard three: a descriptor of ours above 2, or a
///                     PSEUDO_TERMINAL_ constant
/// @return 0, or the errno of what failed
int pseudo_terminal_start(
  const char *program, char *const arguments[], char *const environment[],
  const char *directory, const char *terminal, const int descriptors[3], pid_t *pid);

/// A descriptor that becomes readable when the process ends, or -1.
int pseudo_terminal_watch(pid_t pid);

/// Takes the status of a child that has ended, without waiting.
///
/// @param code    its exit status, or the signal that ended it
/// @param signal  whether it was a signal
/// @return 1 when it had ended, 0 while it runs, -1 when it is not a child
int pseudo_terminal_reap(pid_t pid, int *code, int *signal);

/// Opens a pipe whose ends, reading and writing, are closed on exec.
///
/// @return 0, or the errno
int pipe_open(int ends[2]);

/// Whether some bytes stand among others, one after the other.
bool bytes_contain(const void *bytes, size_t count, const void *wanted, size_t wanted_count);

#endif
