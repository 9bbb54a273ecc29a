#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

static inline void digest_sha1(size_t count, const uint8_t *bytes, uint8_t digest[20]) {
  struct sha1_ctx context;
  sha1_init(&context);
  sha1_update(&context, count, bytes);
#if NETTLE_VERSION_MAJOR >= 4
  sha1_digest(&context, digest);
#else
  sha1_digest(&context, SHA1_DIGEST_SIZE, digest);
#endif
}

static inline void digest_sha256(size_t count, const uint8_t *bytes, uint8_t digest[32]) {
  struct sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, count, bytes);
#if NETTLE_VERSION_MAJOR >= 4
  sha256_digest(&context, digest);
#else
  sha256_digest(&context, SHA256_DIGEST_SIZE, digest);
#endif
}
