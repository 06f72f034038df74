"""Running a program in a machine of its own, with its time and memory measured."""

import dataclasses
import os
import shlex
import subprocess
import tempfile
import time

EMPTIED = ["/etc/kubernetes", "/var/lib", "/run"]


@dataclasses.dataclass
class Outcome:
    code: int
    stdout: str
    stderr: str
    seconds: float
    mib: float

    def __str__(self):
        return f"exit {self.code} after {self.seconds:.1f} s with {self.mib:.0f} MiB: {self.stderr[-600:]}"


def _script(machine_cas, laid):
    """Shell commands that empty the places a node is made of. `machine_cas` takes the place of the CA directory that
    libcurl, OpenSSL and our own programs know; it stands for the public CAs of any machine. `laid` are files to copy
    there afterwards: the place of each, and which one."""
    lines = ["set -e"]
    for place in EMPTIED:
        lines.append(f"mkdir -p {place} 2>/dev/null || true; [ ! -d {place} ] || mount -t tmpfs tmpfs {place}")
    if machine_cas:
        lines += [f"mount --bind {shlex.quote(str(machine_cas))} /etc/ssl/certs",
                  "mkdir -p /usr/lib/ssl/certs 2>/dev/null || true",
                  f"mount --bind {shlex.quote(str(machine_cas))} /usr/lib/ssl/certs"]
    for place, file in (laid or {}).items():
        lines.append(f"install -D -m 600 {shlex.quote(str(file))} {shlex.quote(place)}")
    return "\n".join([*lines, 'exec "$@"'])


def run(words, *, stdin=None, env=None, limit=60, machine_cas=None, laid=None):
    """Run a program in mount and host-name namespaces of its own, `limit` seconds at most. The peak of its memory is
    the kernel's figure for the process (ru_maxrss), which the shell before it cannot reach."""
    namespaces = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "--mount", "--uts"]
    command = [*namespaces, "bash", "-c", _script(machine_cas, laid), "bash", *map(str, words)]
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C", "TZ": "UTC", **(env or {})}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.monotonic()
        with open(stdin or os.devnull, "rb") as source:
            child = subprocess.Popen(command, stdin=source, stdout=out, stderr=err, env=environment)
        killed, status, usage = False, 0, None
        while usage is None:
            pid, status, got = os.wait4(child.pid, os.WNOHANG)
            usage = got if pid else None
            if usage is None and not killed and time.monotonic() - begin > limit:
                child.kill()
                killed = True
            time.sleep(0 if pid else 0.01)
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(1 << 20).decode(errors="replace"))
        return Outcome(child.returncode, *texts, time.monotonic() - begin, usage.ru_maxrss / 1024)
