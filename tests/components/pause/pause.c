// The process that holds a Pod's namespaces open: reaps orphans and sleeps until told to stop.
// Called as `pause -v` it prints its name and exits, which is all that upgrade's health check asks.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void Stop(int signal) {
  (void)signal;
  _exit(0);
}

static void Reap(int signal) {
  (void)signal;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "-v") == 0) {
    puts("pause");
    return 0;
  }
  signal(SIGINT, Stop);
  signal(SIGTERM, Stop);
  signal(SIGCHLD, Reap);
  for (;;) {
    pause();
  }
}
