// SPDX-License-Identifier: Apache-2.0
/* stopper LOG NUMBER[@TEXT…] COMMAND [ARGUMENT…]: runs a command, writes down each of its effects on the world, and
 * SIGKILLs it as it is about to make the one of that number (0: never). With TEXTs, one a line, effects count from the
 * first line of the command's stdout that has all of them.
 *
 * LOG gets a line for each effect in their order: number, what, on what, separated by tabs; those that change
 * nothing (sync, read) have the number "-", and so have the lines of the command's stdout (say). What programs do that
 * the command starts is not its own effect: they run on untouched. Exits as the command does; 137 when it was killed.
 *
 * Which messages only ask for something is known by what the command says before each, at -v 7 and above:
 * "sends GET /healthz to …".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <arpa/inet.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 4096, MOST_THREADS = 1 << 22, ADDRESS = 128, LINE = 1024, OUTPUT = 1 << 16 };

static FILE *record;
static long wanted, count;
static const char *texts;   /* of the line from which effects count, one a line; NULL: they count already */
static char output[OUTPUT]; /* the unfinished line of the command's stdout */
static size_t output_length;
static pid_t command;
static char peers[MOST_DESCRIPTORS][ADDRESS]; /* of the command's sockets, by descriptor */
static bool asks[MOST_THREADS];               /* what a thread sends changes nothing, by its id */

/* Calls of gRPC that change nothing, by how their names begin and end. */
static const char *const reading_calls[][2] = {{"List", ""}, {"", "Status"}, {"Version", ""}, {"RuntimeConfig", ""},
                                               {"ImageFsInfo", ""}, {"MemberList", ""}, {"Range", ""}, {"Snapshot", ""}};

static void fail(const char *what) {
  fprintf(stderr, "stopper: %s: %s\n", what, strerror(errno));
  exit(125);
}

static void peek(pid_t thread, unsigned long address, void *into, size_t size) {
  struct iovec local = {into, size}, remote = {(void *)address, size};
  memset(into, 0, size);
  if (process_vm_readv(thread, &local, 1, &remote, 1, 0) < 0) {
    /* It may end at a page that is not there: byte by byte, then. */
    for (size_t i = 0; i < size; i++) {
      struct iovec one = {(char *)into + i, 1}, there = {(void *)(address + i), 1};
      if (process_vm_readv(thread, &one, 1, &there, 1, 0) < 1) return;
      if (((char *)into)[i] == '\0') return;
    }
  }
}

/* What a descriptor is of: a path, "socket:[…]", "pipe:[…]". */
static void name_of(long fd, char *into) {
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/%s%ld", command, fd == AT_FDCWD ? "cwd" : "fd/", fd == AT_FDCWD ? 0 : fd);
  if (fd == AT_FDCWD) link[strlen(link) - 1] = '\0';
  const ssize_t length = readlink(link, into, PATH_MAX - 1);
  into[length > 0 ? length : 0] = '\0';
}

static void path_at(pid_t thread, long directory, unsigned long address, char *into) {
  char name[PATH_MAX];
  peek(thread, address, name, sizeof name);
  name[sizeof name - 1] = '\0';
  if (name[0] == '/') {
    snprintf(into, PATH_MAX, "%s", name);
    return;
  }
  name_of(directory, into);
  const size_t length = strlen(into);
  snprintf(into + length, PATH_MAX - length, "/%s", name);
}

static void remember_peer(pid_t thread, unsigned long fd, unsigned long address, unsigned long size) {
  struct sockaddr_storage peer;
  if (fd >= MOST_DESCRIPTORS) return;
  peek(thread, address, &peer, size < sizeof peer ? size : sizeof peer);
  char host[INET6_ADDRSTRLEN] = "";
  if (peer.ss_family == AF_UNIX) {
    snprintf(peers[fd], ADDRESS, "%.100s", ((struct sockaddr_un *)&peer)->sun_path);
  } else if (peer.ss_family == AF_INET) {
    const struct sockaddr_in *in = (struct sockaddr_in *)&peer;
    snprintf(peers[fd], ADDRESS, "%s:%d", inet_ntop(AF_INET, &in->sin_addr, host, sizeof host), ntohs(in->sin_port));
  } else if (peer.ss_family == AF_INET6) {
    const struct sockaddr_in6 *in = (struct sockaddr_in6 *)&peer;
    snprintf(peers[fd], ADDRESS, "[%s]:%d", inet_ntop(AF_INET6, &in->sin6_addr, host, sizeof host),
             ntohs(in->sin6_port));
  }
}

__attribute__((format(printf, 1, 2))) static void effect(const char *format, ...) {
  va_list arguments;
  fprintf(record, "%ld\t", ++count);
  va_start(arguments, format);
  vfprintf(record, format, arguments);
  va_end(arguments);
  fprintf(record, "\n");
  if (!texts && wanted > 0 && --wanted == 0) {
    fflush(record);
    kill(command, SIGKILL);
  }
}

static bool is_reading_call(const char *path) {
  const char *name = strrchr(path, '/');
  if (!name++) return false;
  for (size_t i = 0; i < sizeof reading_calls / sizeof *reading_calls; i++) {
    const char *begin = reading_calls[i][0], *end = reading_calls[i][1];
    const size_t length = strlen(name), tail = strlen(end);
    if (strncmp(name, begin, strlen(begin)) == 0 && length >= tail && strcmp(name + length - tail, end) == 0) {
      return true;
    }
  }
  return false;
}

/* What a thread will send next, by a line of its log. */
static void logged(pid_t thread, unsigned long address, unsigned long size) {
  char line[LINE], method[16], path[LINE];
  peek(thread, address, line, size < sizeof line ? size : sizeof line - 1);
  line[size < sizeof line ? size : sizeof line - 1] = '\0';
  const char *said = strstr(line, "] sends ");
  if (!said || sscanf(said, "] sends %15s %1023s", method, path) != 2) return;
  asks[thread % MOST_THREADS] = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 || is_reading_call(path);
}

static bool has_texts(const char *line) {
  char text[LINE];
  for (const char *next = texts; *next; next += strcspn(next, "\n"), next += *next == '\n') {
    snprintf(text, sizeof text, "%.*s", (int)strcspn(next, "\n"), next);
    if (!strstr(line, text)) return false;
  }
  return true;
}

static void end_line(void) {
  output[output_length] = '\0';
  output_length = 0;
  fprintf(record, "-\tsay\t%s\n", output);
  if (texts && has_texts(output)) texts = NULL;
}

/* A part of the command's stdout, which may end within a line; a line longer than OUTPUT is recorded in part. */
static void said(pid_t thread, unsigned long address, unsigned long size) {
  char part[LINE];
  for (unsigned long at = 0; at < size; at += sizeof part) {
    const size_t length = size - at < sizeof part ? size - at : sizeof part;
    peek(thread, address + at, part, length);
    for (size_t i = 0; i < length; i++) {
      if (part[i] == '\n') {
        end_line();
      } else if (output_length + 1 < sizeof output) {
        output[output_length++] = part[i] == '\t' ? ' ' : part[i];
      }
    }
  }
}

static void written(pid_t thread, unsigned long fd) {
  char name[PATH_MAX];
  name_of((long)fd, name);
  if (fd <= 2) return;
  if (strncmp(name, "socket:", 7) == 0) {
    const char *peer = fd < MOST_DESCRIPTORS ? peers[fd] : "";
    if (asks[thread % MOST_THREADS]) {
      fprintf(record, "-\tread\t%s\n", peer);
    } else {
      effect("send\t%s", peer);
    }
  } else if (name[0] == '/' && strncmp(name, "/dev/", 5) != 0) {
    effect("write\t%s", name);
  }
}

static void two_paths(pid_t thread, const char *verb, long from_at, unsigned long from, long to_at, unsigned long to) {
  char old[PATH_MAX], new[PATH_MAX];
  path_at(thread, from_at, from, old);
  path_at(thread, to_at, to, new);
  effect("%s\t%s\t%s", verb, old, new);
}

static void one_path(pid_t thread, const char *verb, long directory, unsigned long address) {
  char path[PATH_MAX];
  path_at(thread, directory, address, path);
  effect("%s\t%s", verb, path);
}

/* To remove what is not there changes nothing. */
static void removed(pid_t thread, long directory, unsigned long address) {
  char path[PATH_MAX];
  struct stat found;
  path_at(thread, directory, address, path);
  if (lstat(path, &found) == 0 || errno != ENOENT) effect("unlink\t%s", path);
}

static void on_descriptor(const char *verb, long fd) {
  char path[PATH_MAX];
  name_of(fd, path);
  if (path[0] == '/') effect("%s\t%s", verb, path);
}

static void synced(long fd) {
  char path[PATH_MAX];
  name_of(fd, path);
  fprintf(record, "-\tsync\t%s\n", path);
}

/* What is about to happen, at the entry of a system call. */
static void entered(pid_t thread, unsigned long number, const unsigned long *a) {
  const long here = AT_FDCWD;
  switch (number) {
    case SYS_connect: remember_peer(thread, a[0], a[1], a[2]); return;
    case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_sendto: case SYS_sendmsg: case SYS_sendmmsg:
      if (number == SYS_write && a[0] == STDERR_FILENO) logged(thread, a[1], a[2]);
      if (number == SYS_write && a[0] == STDOUT_FILENO) said(thread, a[1], a[2]);
      written(thread, a[0]);
      return;
    case SYS_fsync: case SYS_fdatasync: synced((long)a[0]); return;
    case SYS_openat:
      if (a[2] & (O_CREAT | O_TRUNC)) one_path(thread, "create", (int)a[0], a[1]);
      return;
    case SYS_mkdirat: one_path(thread, "mkdir", (int)a[0], a[1]); return;
    case SYS_unlinkat: removed(thread, (int)a[0], a[1]); return;
    case SYS_renameat: case SYS_renameat2: two_paths(thread, "rename", (int)a[0], a[1], (int)a[2], a[3]); return;
    case SYS_linkat: two_paths(thread, "link", (int)a[0], a[1], (int)a[2], a[3]); return;
    case SYS_symlinkat: two_paths(thread, "symlink", here, a[0], (int)a[1], a[2]); return;
    case SYS_fchmodat: one_path(thread, "chmod", (int)a[0], a[1]); return;
    case SYS_fchownat: one_path(thread, "chown", (int)a[0], a[1]); return;
    case SYS_fchmod: on_descriptor("chmod", (long)a[0]); return;
    case SYS_fchown: on_descriptor("chown", (long)a[0]); return;
    case SYS_ftruncate: on_descriptor("truncate", (long)a[0]); return;
    case SYS_umount2: one_path(thread, "unmount", here, a[0]); return;
    case SYS_mount: one_path(thread, "mount", here, a[1]); return;
    case SYS_kill: case SYS_pidfd_send_signal: effect("kill\t%ld", (long)a[0]); return;
    default: break;
  }
#ifdef SYS_open /* the older calls of some machines */
  switch (number) {
    case SYS_open:
      if (a[1] & (O_CREAT | O_TRUNC)) one_path(thread, "create", here, a[0]);
      return;
    case SYS_creat: one_path(thread, "create", here, a[0]); return;
    case SYS_mkdir: one_path(thread, "mkdir", here, a[0]); return;
    case SYS_unlink: case SYS_rmdir: removed(thread, here, a[0]); return;
    case SYS_rename: two_paths(thread, "rename", here, a[0], here, a[1]); return;
    case SYS_link: two_paths(thread, "link", here, a[0], here, a[1]); return;
    case SYS_symlink: two_paths(thread, "symlink", here, a[0], here, a[1]); return;
    case SYS_chmod: one_path(thread, "chmod", here, a[0]); return;
    case SYS_chown: case SYS_lchown: one_path(thread, "chown", here, a[0]); return;
    case SYS_vfork: case SYS_fork: effect("start\ta program"); return;
    default: break;
  }
#endif
  if (number == SYS_clone && !(a[0] & 0x00010000 /* CLONE_THREAD */)) {
    effect("start\ta program");
  } else if (number == SYS_clone3) {
    unsigned long flags = 0;
    peek(thread, a[0], &flags, sizeof flags);
    if (!(flags & 0x00010000)) effect("start\ta program");
  }
}

static void system_call(pid_t thread) {
  struct __ptrace_syscall_info info;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return;
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
    unsigned long arguments[6];
    for (int i = 0; i < 6; i++) arguments[i] = (unsigned long)info.entry.args[i];
    entered(thread, (unsigned long)info.entry.nr, arguments);
  }
}

/* A thread of the command has stopped: looks why, and lets it go on. */
static void stopped(pid_t thread, int status) {
  const int number = WSTOPSIG(status), event = status >> 16;
  if (number == (SIGTRAP | 0x80)) {
    system_call(thread);
    ptrace(PTRACE_SYSCALL, thread, 0, 0);
  } else if (event == PTRACE_EVENT_STOP && number != SIGTRAP) {
    ptrace(PTRACE_LISTEN, thread, 0, 0);
  } else {
    ptrace(PTRACE_SYSCALL, thread, 0, event ? 0 : number);
  }
}

static int watch(void) {
  for (;;) {
    int status;
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0 && errno != EINTR) fail("wait");
    if (thread == command && WIFEXITED(status)) return WEXITSTATUS(status);
    if (thread == command && WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    if (thread > 0 && WIFSTOPPED(status)) stopped(thread, status);
    if (thread > 0 && !WIFSTOPPED(status)) asks[thread % MOST_THREADS] = false; /* its id may come back */
  }
}

int main(int argc, char **argv) {
  int begin[2];
  char byte = 0;
  if (argc < 4) {
    fprintf(stderr, "usage: stopper LOG NUMBER[@TEXT] COMMAND [ARGUMENT...]\n");
    return 125;
  }
  record = fopen(argv[1], "we");
  if (!record) fail(argv[1]);
  wanted = atol(argv[2]);
  texts = strchr(argv[2], '@');
  texts = texts ? texts + 1 : NULL;
  if (pipe2(begin, O_CLOEXEC) != 0 || (command = fork()) < 0) fail("start");
  if (command == 0) {
    if (read(begin[0], &byte, 1) != 1) _exit(125);
    execvp(argv[3], argv + 3);
    fail(argv[3]);
  }
  const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SEIZE, command, 0, options) != 0) fail("trace");
  if (write(begin[1], &byte, 1) != 1) fail("start");
  const int code = watch();
  fclose(record);
  return code;
}
