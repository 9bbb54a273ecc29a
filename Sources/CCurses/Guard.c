#define _GNU_SOURCE
#include "CCurses.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A fault is handled on the thread on which it occurs, which need not be the main thread.
static atomic_bool armed;
static volatile sig_atomic_t ending;
static int input_fd, output_fd, wake_fd = -1;
// A copy of `output_fd`, and /dev/null.
static int restore_fd = -1, null_fd = -1;
static struct termios saved_modes;
// Atomic, because it is changed while armed: a handler reads either the old or the new string.
static _Atomic(const char *) restore_bytes;

void guard_set_bytes(const char *bytes) { restore_bytes = bytes; }

void guard_arm(int input, int output, const struct termios *saved, const char *bytes) {
  input_fd = input;
  output_fd = output;
  if (restore_fd < 0) restore_fd = fcntl(output, F_DUPFD_CLOEXEC, 0);
  if (null_fd < 0) null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  saved_modes = *saved;
  restore_bytes = bytes;
  armed = true;
}

/// Redirects the output of all threads to /dev/null, so that no thread can change the terminal
/// after it was restored.
///
/// - Returns: A descriptor that still writes to the terminal. If the output cannot be redirected,
///   this is `output_fd`.
static int end_output(void) {
  bool ends = armed && restore_fd >= 0 && null_fd >= 0 && dup2(null_fd, output_fd) >= 0;
  return ends ? restore_fd : output_fd;
}

/// - Parameter fd: A descriptor of the terminal.
static void restore(int fd) {
  if (!armed) return;
  int error = errno;
  // Block SIGTTOU: otherwise setting the modes from a background process group stops the process.
  sigset_t block, before;
  sigemptyset(&block);
  sigaddset(&block, SIGTTOU);
  sigprocmask(SIG_BLOCK, &block, &before);
  const char *rest = restore_bytes;
  while (rest && *rest) {
    ssize_t count = write(fd, rest, strlen(rest));
    if (count > 0) rest += count;
    else if (count == 0 || errno != EINTR) break;
  }
  tcsetattr(input_fd, TCSADRAIN, &saved_modes);
  // Disarm only now. If another thread faults before this point, its handler must restore the
  // terminal as well, because it then ends the process, and with it this thread.
  armed = false;
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = error;
}

void guard_restore(void) { restore(output_fd); }

void guard_leave(void) {
  // Block SIGTTOU: otherwise setting the modes from a background process group stops the process.
  sigset_t block, before;
  sigemptyset(&block);
  sigaddset(&block, SIGTTOU);
  sigprocmask(SIG_BLOCK, &block, &before);
  endwin();
  armed = false;
  sigprocmask(SIG_SETMASK, &before, NULL);
}

static sigset_t key_signals, before_keys;

void guard_hold_keys(void) {
  sigemptyset(&key_signals);
  sigaddset(&key_signals, SIGINT);
  sigaddset(&key_signals, SIGQUIT);
  sigaddset(&key_signals, SIGTSTP);
  pthread_sigmask(SIG_BLOCK, &key_signals, &before_keys);
}

void guard_release_keys(void) {
  struct timespec at_once = {0};
  int number;
  while ((number = sigtimedwait(&key_signals, NULL, &at_once)) > 0) {
    ungetch(number == SIGINT ? 0x03 : number == SIGTSTP ? 0x1A : 0x1C);
  }
  pthread_sigmask(SIG_SETMASK, &before_keys, NULL);
}

bool guard_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0; }

void guard_acknowledge(void) { ending = 0; }

static volatile sig_atomic_t is_lent;

void guard_lend(bool lent) { is_lent = lent; }

/// Performs the default action of a signal.
static void take_default(int number) {
  signal(number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static void on_fault(int number) {
  restore(end_output());
  take_default(number);
}

static void on_signal(int number) {
  int error = errno;
  // A second SIGTERM or SIGINT ends the program immediately. A second SIGHUP does not: when a
  // terminal is closed, both the kernel and the shell send one.
  if (number == SIGTERM || number == SIGHUP || number == SIGINT) {
    if (ending == number && number != SIGHUP) on_fault(number);
    ending = number;
  }
  // When a terminal is closed, the kernel sends SIGHUP only to the session leader. If that is this
  // program, it must pass the signal on to the editor that it waits for.
  if (number == SIGHUP && is_lent) {
    is_lent = 0;
    kill(0, SIGHUP);
  }
  unsigned char byte = (unsigned char)number;
  // If the pipe is full, the write fails, but the bytes in it are sufficient to wake the reader.
  (void)!write(wake_fd, &byte, 1);
  errno = error;
}

static void handle(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART};
  sigfillset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS, SIGQUIT};
static const int wishes[] = {SIGTERM, SIGHUP, SIGINT, SIGWINCH, SIGTSTP};
static struct sigaction previous_actions[NSIG];

static void install(int number, void (*handler)(int)) {
  sigaction(number, NULL, &previous_actions[number]);
  handle(number, handler);
}

void guard_install(int wake) {
  wake_fd = wake;
  // A separate stack for the handlers, because a stack overflow causes a signal, too.
  stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
  if (stack.ss_sp) sigaltstack(&stack, NULL);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) install(faults[i], on_fault);
  for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) install(wishes[i], on_signal);
  install(SIGPIPE, SIG_IGN);
  atexit(guard_restore);
}

void guard_uninstall(void) {
  armed = false;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    sigaction(faults[i], &previous_actions[faults[i]], NULL);
  }
  for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
    sigaction(wishes[i], &previous_actions[wishes[i]], NULL);
  }
  sigaction(SIGPIPE, &previous_actions[SIGPIPE], NULL);
}

void guard_stop(void) {
  take_default(SIGTSTP);
  handle(SIGTSTP, on_signal);
}
