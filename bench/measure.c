// measure FILE COMMAND...: runs the command and writes "SECONDS PEAK_KIB" to FILE; exits as it did.
//
// Written in C because the peak memory that the kernel reports for a child starts with that of the
// process which it was forked from: under Python every small program would look like Python.
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double Now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fputs("usage: measure FILE COMMAND...\n", stderr);
    return 2;
  }
  const double begin = Now();
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    perror("measure");
    return 2;
  }
  const double seconds = Now() - begin;
  FILE* file = fopen(argv[1], "w");
  if (file == NULL) {
    perror(argv[1]);
    return 2;
  }
  fprintf(file, "%.6f %ld\n", seconds, usage.ru_maxrss);
  fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
