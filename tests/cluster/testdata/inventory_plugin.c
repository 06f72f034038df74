// SPDX-License-Identifier: Apache-2.0
// A program for the inventory `exec`: answers with the file "hosts" of its Secret. `install FILE` copies the
// program, since its image has no cp.
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

static int Send(const char* from, int to) {
  const int file = open(from, O_RDONLY);
  if (file < 0 || to < 0) {
    return 1;
  }
  ssize_t sent = 0;
  while ((sent = sendfile(to, file, 0, 1 << 20)) > 0) {
  }
  return sent < 0;
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "install") == 0) {
    return Send("/proc/self/exe", open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0755));
  }
  char query[256];
  while (read(STDIN_FILENO, query, sizeof query) > 0) {
  }
  return Send("/etc/inventory-exec/hosts", STDOUT_FILENO);
}
