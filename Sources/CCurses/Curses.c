#define _GNU_SOURCE
#include "CCurses.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <term.h>

const attr_t curses_bold = A_BOLD, curses_dim = A_DIM, curses_italic = A_ITALIC,
             curses_underline = A_UNDERLINE, curses_reverse = A_REVERSE;

int curses_color_count(void) { return COLORS; }

int curses_pair_count(void) { return COLOR_PAIRS; }

void curses_keep_palette(void) { orig_colors = NULL; }

bool curses_use_utf8(void) {
  static const char *const names[] = {"", "C.UTF-8", "en_US.UTF-8"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (setlocale(LC_CTYPE, names[i]) && strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return true;
  }
  return false;
}

int curses_width(wchar_t character) { return wcwidth(character); }

bool curses_set_cell(
  cchar_t *cell, const wchar_t *characters, attr_t attributes, int pair) {
  return setcchar(cell, characters, attributes, 0, &pair) == OK;
}

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
