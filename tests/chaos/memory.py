# SPDX-License-Identifier: Apache-2.0
"""Hosts whose memory is nearly full: nine tenths of a limited amount are always in use."""

import concurrent.futures
import contextlib
import dataclasses
import subprocess
import threading
from pathlib import Path

LIMIT = 2 << 30  # bytes of a host: little more than kubeadm requires

# Takes memory until the host's usage, without the files that the kernel can drop, is nine tenths of the
# limit. Releases it when other processes need it. The kernel kills it before anything else.
HOG = """
import mmap, sys, time
usage, statistics, limit, prefix = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
with open("/proc/self/oom_score_adj", "w") as score:
    score.write("1000")
PIECE, KIND = 16 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
FILES = {prefix + "inactive_file", prefix + "active_file"}
held, end = [], time.monotonic() + 900
while time.monotonic() < end:
    with open(usage) as used, open(statistics) as lines:
        files = sum(int(line.split()[1]) for line in lines if line.split()[0] in FILES)
        taken = int(used.read()) - files
    if taken < 0.9 * limit - PIECE:
        held.append(mmap.mmap(-1, PIECE, flags=KIND))
    elif taken > 0.9 * limit and held:
        held.pop().close()
    else:
        time.sleep(0.02)
"""


@dataclasses.dataclass(frozen=True)
class Files:
    """The files of a host's memory cgroup. The test writes `limit` outside of the host, and writes `unlimited` to it at
    the end. The hog reads the files `inside` in the host."""

    limit: Path
    unlimited: str
    inside: tuple  # paths of the usage and of the statistics
    # The prefix of the keys in the statistics that include child cgroups: "total_" in version 1.
    prefix: str


def files_of(cgroups):
    if cgroups.version == 2:
        directory = "/sys/fs/cgroup"
        return Files(
            cgroups.directories[0] / "memory.max",
            "max",
            (f"{directory}/memory.current", f"{directory}/memory.stat"),
            "",
        )
    places = [directory for directory, options in cgroups.hierarchies if "memory" in options.split(",")]
    directory = f"/sys/fs/cgroup/{places[0].name}"
    return Files(
        places[0] / cgroups.name / "memory.limit_in_bytes",
        "-1",
        (f"{directory}/memory.usage_in_bytes", f"{directory}/memory.stat"),
        "total_",
    )


def _take(host, files, over):
    """Keeps a hog running in the host until `over` is set. Replaces a hog that the kernel has killed."""
    while not over.is_set():
        hog = host.start(
            "python3", "-c", HOG, *files.inside, str(LIMIT), files.prefix, output=subprocess.DEVNULL
        )
        while hog.poll() is None and not over.wait(0.2):
            pass
        host.kill(hog)


@contextlib.contextmanager
def little_memory(machines):
    """Limits each host's memory to 2 GiB, and keeps nine tenths of it in use."""
    over = threading.Event()
    limited = [(machine.host, files_of(machine.host.cgroups)) for machine in machines]
    with concurrent.futures.ThreadPoolExecutor(len(machines)) as pool:
        for host, files in limited:
            files.limit.write_text(str(LIMIT))
        taking = [pool.submit(_take, host, files, over) for host, files in limited]
        try:
            yield
        finally:
            over.set()
            for each in taking:
                each.result()
            for _, files in limited:
                files.limit.write_text(files.unlimited)
