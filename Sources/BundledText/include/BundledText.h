#ifndef BUNDLED_TEXT_H
#define BUNDLED_TEXT_H

#include <stddef.h>

/// The bytes of Resources/quran/vi.quranvi.txt, part of the binary's read-only
/// data: the kernel maps them when they are read, and nothing copies them.
extern const unsigned char *const quranvi_text;

/// The number of bytes at `quranvi_text`.
extern const size_t quranvi_text_size;

#endif
