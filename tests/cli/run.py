#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the whole-command cases of this directory (README.md describes their format)."""
import argparse
import concurrent.futures
import difflib
import fnmatch
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EMPTIED = ["/etc/kubernetes", "/var/lib", "/run"]
NODE_LOCK = "/run/slipway/node.lock"  # every command that changes a node creates it, so it is not listed
VARIES = [(re.compile(r"^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ([\w.]+):\d+\]", re.M), r"\1<time> <pid> \2]"),
          (re.compile(r"\blinux/(amd64|arm64)\b"), "linux/<architecture>"),
          (re.compile(r"sha256:[0-9a-f]{64}"), "sha256:<hash>"),
          (re.compile(r"^[0-9a-f]{64}$", re.M), "<key>"),
          (re.compile(r"\b(kubeadm-[a-z-]+-dryrun)[0-9a-f]{10}\b"), r"\1<random>"),
          (re.compile(r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b"), "<token>")]


class Case:
    """A parsed .test file. `text(outcome)` returns the file's text with the outcome as its expectations."""

    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.head, self.files, self.outputs = {}, {}, {"STDOUT": "", "STDERR": ""}
        self.prologue, lines = [], iter(path.read_text().splitlines())
        for line in lines:
            block = re.fullmatch(r"(STDOUT|STDERR|FILE (\S+))", line)
            if block:
                body = []
                for inner in lines:
                    if inner == "END":
                        break
                    body.append(inner)
                text = "".join(part + "\n" for part in body)
                if block[2]:
                    self.files[block[2]] = text
                    self.prologue += [line, *body, "END"]
                else:
                    self.outputs[block[1]] = text
                continue
            if line.startswith("#") or not line:
                self.prologue.append(line)
                continue
            key, found, value = line.partition(": ")
            if key not in ("ARGS", "ENV", "STDIN", "EXIT", "WRITES", "HOSTNAME", "ONLY", "SETUP", "USER") or not found:
                sys.exit(f"{path}: not understood: {line}")
            if key == "ENV":
                self.head.setdefault(key, []).append(value)
            else:
                self.head[key] = value
            if key not in ("EXIT", "WRITES"):
                self.prologue.append(line)

    def wanted(self):
        return {"EXIT": self.head.get("EXIT", "0"), "WRITES": self.head.get("WRITES", ""), **self.outputs}

    def text(self, outcome):
        lines = [*self.prologue, f"EXIT: {outcome['EXIT']}"]
        for stream in ("STDOUT", "STDERR"):
            lines += [stream, *outcome[stream].splitlines(), "END"]
        if outcome["WRITES"]:
            lines.append("WRITES: " + outcome["WRITES"])
        return "\n".join(lines) + "\n"


# Ways to close the standard descriptors (README.md); {broken} is a pipe without a reader.
DESCRIPTORS = {"": "", "full disk": ">/dev/full", "broken pipe": ">&{broken}", "closed descriptors": "<&- >&- 2>&-",
               "closed outputs": ">&- 2>&-"}
LOG_LINE = "^[IWEF][0-9]{4} [0-9:.]+ +[0-9]+ [a-z_]+\\.cc:"


def sandbox_script(directory, head, redirection):
    """Returns a shell script for fresh namespaces. It empties the directories of a node, runs its arguments as a
    command, and lists the files that the command created on descriptor 3."""
    lines = ["set -e", f"echo {shlex.quote(head.get('HOSTNAME', 'host-one'))} >/proc/sys/kernel/hostname", "ip link set lo up 2>/dev/null || true"]
    for place in EMPTIED:
        lines.append(f"mkdir -p {place} 2>/dev/null || true; [ ! -d {place} ] || mount -t tmpfs -o mode=0755 tmpfs {place}")
    if user := head.get("USER"):  # that user may lack access to the original path
        lines += ["touch /run/kubeadm", 'mount --bind "$1" /run/kubeadm', "shift", f"chmod 0755 {directory}",
                  f"set -- setpriv --reuid {user} --regid {user} --clear-groups /run/kubeadm \"$@\""]
    # Directories that a dry run has created are listed, too, so that an empty one is noticed.
    wanted = r"\( ! -type d -o -path '*/tmp/kubeadm-*-dryrun*' ! -path '*/tmp/*/*' \)"
    snapshot = f"find {directory} {' '.join(EMPTIED)} {wanted} ! -path {NODE_LOCK} 2>/dev/null | sort"
    lines += [f"cd {directory}", head.get("SETUP", ""), f"before=$({snapshot})", "set +e", f'"$@" {redirection}', "code=$?",
              f'comm -13 <(echo "$before") <({snapshot}) >&3',
              f"grep -rlE '{LOG_LINE}' $(comm -13 <(echo \"$before\") <({snapshot})) /dev/null | sed 's/^/log-lines-in:/' >&3",
              "exit $code"]
    return "\n".join(lines)


def run(case, kubeadm, descriptors=""):
    """Runs a case; returns its results in the form of its expectations."""
    directory = tempfile.mkdtemp(prefix="cli-test-", dir="/var/tmp")
    try:
        fill = lambda text: text.replace("@DIR@", directory)  # noqa: E731
        for name, text in case.files.items():
            path = pathlib.Path(directory, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(fill(text))
        env = {"PATH": f"{directory}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": directory, "LANG": "C", "TZ": "UTC"}
        env.update(fill(e).split("=", 1) for e in case.head.get("ENV", []))
        for program in pathlib.Path(directory, "bin").glob("*"):
            program.chmod(0o755)
        read, write = os.pipe()
        unread, broken = os.pipe()
        os.close(unread)
        script = sandbox_script(directory, {key: fill(value) for key, value in case.head.items() if key != "ENV"},
                                DESCRIPTORS[descriptors].format(broken=broken)).replace(">&3", f">&{write}")
        command = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "--mount", "--uts", "--net",
                   "bash", "-c", script, "bash", str(kubeadm), *shlex.split(fill(case.head["ARGS"]))]
        done = subprocess.run(command, input=fill(case.head.get("STDIN", "")), capture_output=True, text=True,
                              env=env, pass_fds=[write, broken], timeout=120, check=False)
        os.close(write)
        os.close(broken)
        with os.fdopen(read) as pipe:
            written = [line.replace(directory + "/", "") for line in pipe.read().split()]
        outcome = {"EXIT": str(done.returncode), "STDOUT": done.stdout, "STDERR": done.stderr,
                   "WRITES": " ".join(written)}
        for stream in ("STDOUT", "STDERR", "WRITES"):
            outcome[stream] = outcome[stream].replace(directory, "@DIR@")
            for pattern, shown in VARIES:
                outcome[stream] = pattern.sub(shown, outcome[stream])
        return outcome
    finally:
        shutil.rmtree(directory)


def matches(wanted, got):
    """Returns whether the result matches the expectation, in which a line `...` matches any number of lines."""
    if "..." not in wanted.splitlines():
        return wanted == got
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in wanted.splitlines())
    return re.fullmatch(pattern, got) is not None


def complaints(case, got):
    if case.name.startswith("fail_") != (got["EXIT"] != "0"):
        yield f"the name says {'failure' if case.name.startswith('fail_') else 'success'}, the exit code is {got['EXIT']}"
    for key, wanted in case.wanted().items():
        if not matches(wanted, got[key]):
            yield f"{key}:"
            yield from difflib.unified_diff(wanted.splitlines(), got[key].splitlines(), "wanted", "got", lineterm="", n=1)


def complaints_without_output(case, kubeadm):
    """Yields a complaint if the command succeeds although its output is lost. Also yields one if its exit status or
    written files differ when the descriptors are closed."""
    if case.wanted()["EXIT"] == "0" and case.outputs["STDOUT"]:
        for descriptors in ("full disk", "broken pipe"):
            got = run(case, kubeadm, descriptors)
            said = "output could be written" in got["STDERR"]
            if got["EXIT"] != "1" or said != (descriptors == "full disk"):
                yield f"{descriptors}: exit code {got['EXIT']}, stderr: {got['STDERR'][-300:]}"
    got = run(case, kubeadm, "closed outputs" if "STDIN" in case.head else "closed descriptors")
    for key in ("EXIT", "WRITES"):
        if not matches(case.wanted()[key], got[key]):
            yield f"closed descriptors: {key}: wanted {case.wanted()[key]}, got {got[key]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kubeadm", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="*", help="cases whose name is like this glob")
    parser.add_argument("--update", action="store_true", help="rewrite the expectations of failing cases")
    options = parser.parse_args()
    cases = [Case(p) for p in sorted(HERE.glob("*.test")) if fnmatch.fnmatchcase(p.stem, options.only)]
    if os.geteuid() != 0:  # without root, a user namespace has only one user
        cases = [case for case in cases if "USER" not in case.head]
    kubeadm, failed = options.kubeadm.resolve(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judge = lambda c: (run(c, kubeadm), list(complaints_without_output(c, kubeadm)))  # noqa: E731
        for case, (got, without_output) in zip(cases, pool.map(judge, cases)):
            messages = [*complaints(case, got), *without_output]
            if not messages:
                continue
            failed += 1
            print(f"FAIL {case.name}\n  " + "\n  ".join(messages))
            if options.update:
                case.path.write_text(case.text(got))
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not cases else 0)


if __name__ == "__main__":
    main()
