#define _GNU_SOURCE
#include "CNcurses.h"

#include <curses.h>
#include <term.h>

bool terminfo_load(const char *name, int fd) {
  int error;
  return setupterm(name, fd, &error) == OK;
}

const char *terminfo_string(const char *capability) {
  char *value = tigetstr(capability);
  return value == (char *)-1 ? NULL : value;
}

int terminfo_number(const char *capability) {
  int value = tigetnum(capability);
  return value < 0 ? -1 : value;
}

bool terminfo_flag(const char *capability) { return tigetflag(capability) > 0; }

const char *terminfo_format(const char *string, int first, int second) {
  return tparm(string, first, second, 0, 0, 0, 0, 0, 0, 0);
}
