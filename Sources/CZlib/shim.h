#pragma once

#include <zlib.h>

/// inflateInit2 is a macro, which Swift does not see. 31: gzip, and nothing but gzip.
static inline int zlib_begin_gunzip(z_streamp stream) { return inflateInit2(stream, 31); }

/// -15: deflate without a header, as in zip files.
static inline int zlib_begin_inflate(z_streamp stream) { return inflateInit2(stream, -15); }

/// deflateInit2 is a macro, too. 31: a gzip file; 8: zlib's default use of memory.
static inline int zlib_begin_gzip(z_streamp stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
}
