#define _GNU_SOURCE
#include "CPseudoTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

int pseudo_terminal_open(int rows, int columns, int *master, int *slave, char *path) {
  *master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (*master < 0) return errno;
  int error = grantpt(*master) || unlockpt(*master) ? errno : ptsname_r(*master, path, 64);
  if (error == 0) error = pseudo_terminal_resize(*master, rows, columns);
  if (error == 0) {
    *slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*slave >= 0) return 0;
    error = errno;
  }
  close(*master);
  return error;
}

int pseudo_terminal_resize(int master, int rows, int columns) {
  struct winsize size = {.ws_row = rows, .ws_col = columns};
  return ioctl(master, TIOCSWINSZ, &size) == 0 ? 0 : errno;
}

int pseudo_terminal_disable_signal_keys(int descriptor) {
  struct termios settings;
  if (tcgetattr(descriptor, &settings) != 0) return errno;
  settings.c_lflag &= ~ISIG;
  settings.c_iflag &= ~(IXON | IXOFF);
  return tcsetattr(descriptor, TCSANOW, &settings) == 0 ? 0 : errno;
}

int pseudo_terminal_settings(int descriptor, char *text, size_t size) {
  struct termios settings;
  if (tcgetattr(descriptor, &settings) != 0) return errno;
  int length = snprintf(
    text, size, "input %o output %o control %o local %o speed %u %u keys", settings.c_iflag,
    settings.c_oflag, settings.c_cflag, settings.c_lflag, cfgetispeed(&settings),
    cfgetospeed(&settings));
  for (int i = 0; i < NCCS && (size_t)length < size; i++) {
    length += snprintf(text + length, size - length, " %u", settings.c_cc[i]);
  }
  return 0;
}

int pseudo_terminal_unread(int slave) {
  // What was just written to the master is still on its way, in a work queue
  // of the kernel; asking for readiness waits for that to be done.
  struct pollfd ready = {.fd = slave, .events = POLLIN};
  poll(&ready, 1, 0);
  int count = 0;
  return ioctl(slave, FIONREAD, &count) == 0 ? count : -1;
}

static int prepare(
  posix_spawn_file_actions_t *actions, const char *directory, const char *terminal,
  const int descriptors[3]) {
  int error = directory ? posix_spawn_file_actions_addchdir_np(actions, directory) : 0;
  // The first terminal that a session leader opens becomes its controlling
  // terminal, whatever is put in the place of descriptor 0 afterwards.
  if (error == 0 && terminal) {
    error = posix_spawn_file_actions_addopen(actions, 0, terminal, O_RDWR, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(actions, 0, 1);
    if (error == 0) error = posix_spawn_file_actions_adddup2(actions, 0, 2);
  }
  for (int i = 0; i < 3 && error == 0; i++) {
    switch (descriptors[i]) {
    case PSEUDO_TERMINAL_INHERIT:
      break;
    case PSEUDO_TERMINAL_CLOSED:
      // Closing what is not open is no error.
      error = posix_spawn_file_actions_addclose(actions, i);
      break;
    case PSEUDO_TERMINAL_NULL:
      error = posix_spawn_file_actions_addopen(actions, i, "/dev/null", O_RDWR, 0);
      break;
    default:
      error = posix_spawn_file_actions_adddup2(actions, descriptors[i], i);
    }
  }
  return error ? error : posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

int pseudo_terminal_start(
  const char *program, char *const arguments[], char *const environment[],
  const char *directory, const char *terminal, const int descriptors[3], pid_t *pid) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(
    &attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int error = prepare(&actions, directory, terminal, descriptors);
  if (error == 0) {
    error = posix_spawn(pid, program, &actions, &attributes, arguments, environment);
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

int pseudo_terminal_watch(pid_t pid) { return pidfd_open(pid, 0); }

int pseudo_terminal_reap(pid_t pid, int *code, int *signal) {
  int status;
  pid_t found = waitpid(pid, &status, WNOHANG);
  if (found <= 0) return found;
  *signal = WIFSIGNALED(status);
  *code = *signal ? WTERMSIG(status) : WEXITSTATUS(status);
  return 1;
}

bool bytes_contain(const void *bytes, size_t count, const void *wanted, size_t wanted_count) {
  return memmem(bytes, count, wanted, wanted_count) != NULL;
}

int pipe_open(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }
