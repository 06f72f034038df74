// measure FILE COMMAND...: runs the command and writes "SECONDS PEAK_KIB" to FILE; exits as it did.
//
// The peak is that of the command's own process. What the kernel reports when a child has ended is
// the greatest of the child and of all that it waited for, and both programs run the kubelet to
// ask for its version; so the process's high-water mark is read in the moment in which it ends.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
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

// Stops in the child until it has become the command.
static void Become(char** command) {
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  execvp(command[0], command);
  _exit(127);
}

// Lets the command run and returns its peak, read while it is about to end; `status` is how it did.
static long Run(pid_t child, int* status) {
  char status_file[64];
  snprintf(status_file, sizeof status_file, "/proc/%d/status", (int)child);
  long peak = 0;
  waitpid(child, status, 0);  // the first stop is execve's
  ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
  int signal = 0;
  while (WIFSTOPPED(*status)) {
    const int ends = *status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXIT << 8));
    peak = ends ? Peak(status_file) : peak;
    ptrace(PTRACE_CONT, child, NULL, signal);
    waitpid(child, status, 0);
    signal = WIFSTOPPED(*status) && *status >> 16 == 0 ? WSTOPSIG(*status) : 0;
  }
  return peak;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fputs("usage: measure FILE COMMAND...\n", stderr);
    return 2;
  }
  const double begin = Now();
  const pid_t child = fork();
  if (child == 0) {
    Become(argv + 2);
  }
  if (child < 0) {
    perror("measure");
    return 2;
  }
  int status = 0;
  const long peak = Run(child, &status);
  const double seconds = Now() - begin;
  FILE* file = fopen(argv[1], "w");
  if (file == NULL) {
    perror(argv[1]);
    return 2;
  }
  fprintf(file, "%.6f %ld\n", seconds, peak);
  fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
