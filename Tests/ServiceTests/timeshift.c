// Gives a program another time, and random numbers that can be repeated, when it is preloaded.
//
// Both are in a file of 24 bytes that $TIMESHIFT_FILE names and timeshift.py writes: nanoseconds
// that the clock is ahead, a seed (0 leaves the system's random numbers alone), and how many words
// were drawn from that seed. Writing to the file changes the time of a running program.
//
// Swift and BoringSSL ask for random bytes by syscall(SYS_getrandom, …); the C library's own
// functions for it are replaced, too. Reads of /dev/urandom are not.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct shift {
  _Atomic int64_t ahead;
  _Atomic uint64_t seed;
  _Atomic uint64_t drawn;
};

static struct shift none;
static struct shift *shift = &none;

__attribute__((constructor)) static void map_file(void) {
  const char *path = getenv("TIMESHIFT_FILE");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *shift, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) shift = mapped;
}

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = next("clock_gettime");
  int result = real(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t moved = time->tv_sec * INT64_C(1000000000) + time->tv_nsec + shift->ahead;
    time->tv_sec = moved / 1000000000;
    time->tv_nsec = moved % 1000000000;
  }
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

// SplitMix64, which can begin at any place of its sequence.
static uint64_t word(uint64_t seed, uint64_t place) {
  uint64_t mixed = seed + (place + 1) * UINT64_C(0x9E3779B97F4A7C15);
  mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
  return mixed ^ (mixed >> 31);
}

static void fill(unsigned char *bytes, size_t count) {
  uint64_t words = (count + 7) / 8;
  uint64_t place = atomic_fetch_add(&shift->drawn, words);
  for (size_t done = 0; done < count; done += 8) {
    uint64_t next_word = word(shift->seed, place++);
    memcpy(bytes + done, &next_word, count - done < 8 ? count - done : 8);
  }
}

long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (!real) real = next("syscall");
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_getrandom && shift->seed) {
    fill((unsigned char *)a, (size_t)b);
    return b;
  }
  return real(number, a, b, c, d, e, f);
}

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  return syscall(SYS_getrandom, bytes, count, flags);
}

int getentropy(void *bytes, size_t count) {
  return syscall(SYS_getrandom, bytes, count, 0) == (long)count ? 0 : -1;
}
