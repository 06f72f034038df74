/* shifted-clock PROGRAM ARGUMENT...: runs a program whose clock is SHIFT seconds off, or as many as the file
 * SHIFT_FILE says in the moment.
 *
 * A program that is linked statically preloads no library, so its system calls are watched (ptrace(2)). The
 * kernel's page with a clock of its own (vdso(7)) is hidden from it: then it asks by system calls only.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t program;

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

/* At the start of a program its stack holds: count, arguments, 0, environment, 0, pairs of facts. */
static void hide_vdso(void) {
  struct user_regs_struct registers;
  ptrace(PTRACE_GETREGS, program, 0, &registers);
  unsigned long at = registers.rsp;
  at += 8 * (1 + ptrace(PTRACE_PEEKDATA, program, at, 0) + 1);
  while (ptrace(PTRACE_PEEKDATA, program, at, 0) != 0) {
    at += 8;
  }
  for (at += 8;; at += 16) {
    const long kind = ptrace(PTRACE_PEEKDATA, program, at, 0);
    if (kind == AT_NULL) {
      return;
    }
    if (kind == AT_SYSINFO_EHDR) {
      ptrace(PTRACE_POKEDATA, program, at, AT_IGNORE);
    }
  }
}

static void add_shift(pid_t thread, unsigned long address) {
  if (address != 0) {
    const long seconds = ptrace(PTRACE_PEEKDATA, thread, address, 0);
    ptrace(PTRACE_POKEDATA, thread, address, seconds + shift());
  }
}

/* What the thread has just been told of the time, if that is what it asked. */
static void change_answer(pid_t thread) {
  struct __ptrace_syscall_info info;
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0 ||
      info.op != PTRACE_SYSCALL_INFO_EXIT || info.exit.is_error) {
    return;
  }
  ptrace(PTRACE_GETREGS, thread, 0, &registers);
  switch (registers.orig_rax) {
    case SYS_clock_gettime:
      if (registers.rdi == CLOCK_REALTIME || registers.rdi == CLOCK_REALTIME_COARSE) {
        add_shift(thread, registers.rsi);
      }
      break;
    case SYS_gettimeofday:
      add_shift(thread, registers.rdi);
      break;
    case SYS_time:
      add_shift(thread, registers.rdi);
      registers.rax += (unsigned long)shift();
      ptrace(PTRACE_SETREGS, thread, 0, &registers);
      break;
    default:
      break;
  }
}

static void pass_on(int number) { kill(program, number); }

static int watch(void) {
  for (;;) {
    int status;
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0 && errno == EINTR) {
      continue;
    }
    if (thread < 0) {
      return 127;
    }
    if (WIFSTOPPED(status)) {
      const int number = WSTOPSIG(status);
      const int is_call = number == (SIGTRAP | 0x80);
      if (is_call) {
        change_answer(thread);
      }
      const int is_ours = is_call || status >> 16 != 0 || number == SIGSTOP || number == SIGTRAP;
      ptrace(PTRACE_SYSCALL, thread, 0, is_ours ? 0 : number);
    } else if (thread == program) {
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
  }
}

int main(int count, char** words) {
  int status;
  if (count < 2) {
    fputs("usage: shifted-clock PROGRAM ARGUMENT...\n", stderr);
    return 2;
  }
  program = fork();
  if (program == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    execvp(words[1], words + 1);
    perror(words[1]);
    _exit(127);
  }
  if (waitpid(program, &status, 0) < 0 || !WIFSTOPPED(status)) {
    return 127;
  }
  ptrace(PTRACE_SETOPTIONS, program, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
  hide_vdso();
  signal(SIGTERM, pass_on);
  signal(SIGINT, pass_on);
  ptrace(PTRACE_SYSCALL, program, 0, 0);
  return watch();
}
