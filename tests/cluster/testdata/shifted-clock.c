/* The clock of the process that preloads this is SHIFT seconds off, or as many as the file SHIFT_FILE says
 * in the moment. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
  const char* text = getenv("SHIFT");
  const char* path = getenv("SHIFT_FILE");
  char read_text[32] = "";
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file >= 0) {
    if (read(file, read_text, sizeof read_text - 1) > 0) {
      text = read_text;
    }
    close(file);
  }
  return text ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) {
    now->tv_sec += shift();
  }
  return result;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) {
    *out = now.tv_sec;
  }
  return now.tv_sec;
}

int gettimeofday(struct timeval* now, void* zone) {
  struct timespec precise;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}
