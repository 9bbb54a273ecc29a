#ifndef BUNDLED_SCHEMA_H
#define BUNDLED_SCHEMA_H

#include <stddef.h>

/// The bytes of Resources/schema/quran-vi.ckdb: the record types of the Quran reader, in
/// CloudKit's schema language.
extern const unsigned char *const quranvi_schema;

/// The number of bytes at `quranvi_schema`.
extern const size_t quranvi_schema_size;

#endif
