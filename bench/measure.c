// SPDX-License-Identifier: Apache-2.0
// measure FILE COMMAND...: runs the command and writes "SECONDS PEAK_KIB" to FILE; exits as it did.
//
// The peak is that of the command's own process. The kernel's figure for an ended child is the
// greatest of the child and of all processes that it waited for, and both programs run the kubelet
// to ask for its version. So the process's high-water mark is read while it lives: 5,000 times a
// second at first, since start-up takes only milliseconds, then 200 times. (Tracing would slow down
// a Go program, which sends itself signals.)
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double Now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// The high-water mark of a process's memory in KiB; 0 when it has none any more.
static long Peak(const char* status_file) {
  char text[4096];
  const int file = open(status_file, O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) {
    close(file);
  }
  text[size < 0 ? 0 : size] = '\0';
  const char* line = strstr(text, "VmHWM:");
  return line == NULL ? 0 : strtol(line + strlen("VmHWM:"), NULL, 10);
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fputs("usage: measure FILE COMMAND...\n", stderr);
    return 2;
  }
  const double begin = Now();
  const pid_t child = vfork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  const int pidfd = child < 0 ? -1 : (int)syscall(SYS_pidfd_open, child, 0);
  if (pidfd < 0) {
    perror("measure");
    return 2;
  }
  char status_file[64];
  snprintf(status_file, sizeof status_file, "/proc/%d/status", (int)child);
  struct pollfd end = {.fd = pidfd, .events = POLLIN};
  long peak = 0;
  double seconds = 0;
  struct timespec pause;
  do {
    const long now = Peak(status_file);
    peak = now > peak ? now : peak;
    seconds = Now() - begin;
    pause = (struct timespec){.tv_nsec = seconds < 0.02 ? 200000 : 5000000};
  } while (ppoll(&end, 1, &pause, NULL) == 0);
  seconds = Now() - begin;
  int status = 0;
  waitpid(child, &status, 0);
  FILE* file = fopen(argv[1], "w");
  if (file == NULL) {
    perror(argv[1]);
    return 2;
  }
  fprintf(file, "%.6f %ld\n", seconds, peak);
  fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
