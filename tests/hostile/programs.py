# SPDX-License-Identifier: Apache-2.0
"""Runs a program in a separate machine, and measures its time and memory."""

import contextlib
import dataclasses
import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import tempfile
import termios
import time

EMPTIED = ["/etc/kubernetes", "/var/lib", "/run"]


@dataclasses.dataclass
class Outcome:
    code: int
    stdout: str
    stderr: str
    seconds: float
    cpu: float  # seconds of processor time, which do not depend on the load of the machine
    mib: float

    def __str__(self):
        used = f"{self.seconds:.1f} s ({self.cpu:.1f} s of a processor) with {self.mib:.0f} MiB"
        return f"exit {self.code} after {used}: {self.stderr[-600:]}"


def _script(machine_cas, laid, emptied):
    """Returns a shell script that empties the directories of a node, and then runs its arguments as a command.

    `machine_cas` replaces the CA directory that libcurl, OpenSSL and our own programs use: the public CAs of any
    machine. `laid` are files to copy there afterwards: path → source. `emptied` are more directories to empty.
    """
    lines = ["set -e"]
    for place in [*EMPTIED, *emptied]:
        lines.append(f"mkdir -p {place} 2>/dev/null || true; [ ! -d {place} ] || mount -t tmpfs tmpfs {place}")
    if machine_cas:
        lines += [f"mount --bind {shlex.quote(str(machine_cas))} /etc/ssl/certs",
                  "mkdir -p /usr/lib/ssl/certs 2>/dev/null || true",
                  f"mount --bind {shlex.quote(str(machine_cas))} /usr/lib/ssl/certs"]
    for place, file in (laid or {}).items():
        lines.append(f"install -D -m 600 {shlex.quote(str(file))} {shlex.quote(place)}")
    return "\n".join([*lines, 'exec "$@"'])


def _measured(command, limit):
    """Returns the status of a command, its peak of memory in KiB as the kernel reports it (ru_maxrss), its seconds, and
    its processor time. Kills the command after `limit` seconds. The kernel's figure includes the memory of the process
    before it executed the command. Therefore this runs in a small process, not in the tests' process, which holds the
    data that it sends."""
    begin = time.monotonic()
    child = os.posix_spawnp(command[0], command, os.environ)
    killed = False
    while True:
        pid, status, usage = os.wait4(child, os.WNOHANG)
        if pid:
            cpu = usage.ru_utime + usage.ru_stime
            return os.waitstatus_to_exitcode(status), usage.ru_maxrss, time.monotonic() - begin, cpu
        if not killed and time.monotonic() - begin > limit:
            os.kill(child, signal.SIGKILL)
            killed = True
        time.sleep(0.01)


def _in_terminal(command, source, out, environment):
    """Runs a command whose standard output and error are a terminal 120 columns wide, and copies its output
    to `out`."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, 120))
    settings = termios.tcgetattr(theirs)
    settings[1] &= ~termios.OPOST  # leaves line ends as they are written
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    with subprocess.Popen(command, stdin=source, stdout=theirs, stderr=theirs, env=environment) as child:
        os.close(theirs)
        with contextlib.suppress(OSError):  # EIO: the last process that had it open has ended
            while piece := os.read(ours, 1 << 16):
                out.write(piece)
    os.close(ours)
    if child.returncode != 0:
        raise subprocess.CalledProcessError(child.returncode, command)


def run(words, *, stdin=None, env=None, limit=60, machine_cas=None, laid=None, emptied=(), terminal=False):
    """Runs a program in separate mount and UTS namespaces, for at most `limit` seconds. With `terminal`, its standard
    output and error are a terminal, and `stdout` has all of its output."""
    namespaces = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "--mount", "--uts"]
    command = [*namespaces, "bash", "-c", _script(machine_cas, laid, emptied), "bash", *map(str, words)]
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C", "TZ": "UTC", **(env or {})}
    measured = [sys.executable, "-I", "-S", __file__]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.NamedTemporaryFile() as told:
        with open(stdin or os.devnull, "rb") as source:
            if terminal:
                environment["TERM"] = "xterm"
                _in_terminal([*measured, told.name, str(limit), *command], source, out, environment)
            else:
                subprocess.run([*measured, told.name, str(limit), *command], stdin=source, stdout=out, stderr=err,
                               env=environment, check=True)
        code, kib, seconds, cpu = json.load(told)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(1 << 20).decode(errors="replace"))
        return Outcome(code, *texts, seconds, cpu, kib / 1024)


if __name__ == "__main__":
    with open(sys.argv[1], "w") as report:
        json.dump(_measured(sys.argv[3:], float(sys.argv[2])), report)
