#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs Kubernetes' own e2e tests on a cluster of our kubeadm and on a cluster of upstream's, and compares the results.

    run.py                      all conformance tests that have no result yet, on both clusters
    run.py --sample             the tests of sample.txt
    run.py --only 'sig-network' the tests whose names match
    run.py --suite kubeadm      upstream's suite for clusters of kubeadm
    run.py --again              also the failed tests, once more
    run.py --report             only writes the tables of the results so far

Results are in build/conformance/MINOR/{ours,upstream}/, with a directory for each run of some tests, and e2e.log and
junit_01.xml of all runs. An interrupted run is resumed.
"""

import argparse
import contextlib
import queue
import re
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cluster import hosts, template  # noqa: E402
from cluster.cgroups import CgroupError  # noqa: E402
from components import recipes, store  # noqa: E402
from conformance import clusters, images, registry, results, skipped, submission, suite  # noqa: E402

OUTPUT = hosts.PROJECT / "build" / "conformance"
SAMPLE = Path(__file__).with_name("sample.txt")
TITLES = ("ours", "upstream")
PROGRAMS = {"conformance": "e2e.test", "setup": "e2e.test", "kubeadm": "e2e_kubeadm.test"}


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


class Workers:
    """Runs batches of tests on one cluster, several at a time, until all have run or the deadline has passed."""

    def __init__(self, program, directory, deadline):
        self.program = program
        self.directory = directory
        self.deadline = deadline
        self.lock = threading.Lock()

    def run(self, batches, jobs):
        waiting = queue.SimpleQueue()
        for batch in batches:
            waiting.put(batch)
        threads = [threading.Thread(target=self._work, args=(waiting,)) for _ in range(min(jobs, len(batches)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self, waiting):
        while time.monotonic() < self.deadline:
            try:
                batch = waiting.get_nowait()
            except queue.Empty:
                return
            self._run(batch)

    def _run(self, batch):
        with self.lock:
            directory = results.new_run(self.directory)
            directory.mkdir(parents=True)
        begin = time.monotonic()
        ended = self.program.run(batch, directory)
        found = results.of_run(directory)
        outcomes = [result.outcome for result in found.values()]
        say(
            f"{self.directory.name} {directory.name}: {outcomes.count(results.PASSED)} of {len(batch) or len(found)}"
            f" passed in {time.monotonic() - begin:.0f} s{'' if ended else '; it did not end in time'}"
        )
        for name, result in found.items():
            if result.outcome != results.PASSED:
                say(f"  {result.outcome}: {name}")


def chosen(arguments, program):
    """Returns the names of the tests to run, in the order in which they start."""
    if arguments.suite == "kubeadm":
        return suite.all_tests(program)
    if arguments.suite == "setup":
        names = skipped.of_setup(suite.all_tests(program))
    else:
        names = list(suite.conformance_tests(program))
    if arguments.sample:
        wanted = SAMPLE.read_text().splitlines()
        names = [name for name in names if name in wanted]
    return sorted((name for name in names if re.search(arguments.only, name)), key=skipped.order)


def run(arguments, title, kubeadm, programs, names):
    """Runs the remaining tests on a new cluster of that kubeadm."""
    directory = arguments.output / title
    remaining = results.remaining(names, results.of_cluster(directory), arguments.again)
    remaining = [name for name in remaining if name not in skipped.reasons(remaining)]
    if not remaining:
        return
    say(f"{title}: {len(remaining)} of {len(names)} tests remain")
    test, kubectl, image_directory = programs
    with contextlib.ExitStack() as stack:
        bench = stack.enter_context(hosts.Bench.create(say=say))
        nodes = clusters.made(bench, kubeadm, arguments.release, image_directory)
        url = stack.enter_context(registry.serving(image_directory / "images" / "e2e.tar", bench.run.address(1)))
        for node in nodes:
            registry.use(node, url)
        kubeconfig = clusters.write_kubeconfig(nodes[0], directory / "kubeconfig")
        deadline = time.monotonic() + arguments.minutes * 60
        workers = Workers(suite.Suite(test, kubectl, kubeconfig), directory, deadline)
        alone = [name for name in remaining if "[Serial]" in name or "[Disruptive]" in name]
        together = [name for name in remaining if name not in alone]
        workers.run(results.batches(together, arguments.batch), arguments.jobs)
        workers.run(results.batches(alone, arguments.batch), 1)


def report(arguments, names):
    """Writes the tables and the reports. Returns the rows of tests that fail only on our cluster."""
    attempts = [results.of_cluster(arguments.output / title) for title in TITLES]
    rows = results.compared(names, attempts, skipped.reasons(names))
    for title, of_cluster in zip(TITLES, attempts):
        if of_cluster:
            results.write_report(arguments.output / title, names, of_cluster)
    if arguments.suite == "conformance" and attempts[0] and not arguments.only and not arguments.sample:
        submission.write(arguments.output / TITLES[0], names, attempts[0], arguments.release)
    (arguments.output / "results.tsv").write_text(results.table(rows, TITLES))
    (arguments.output / "summary.md").write_text(results.summary(rows, TITLES))
    print(results.summary(rows, TITLES))
    return [row for row in rows if row.only_ours_fails]


def prepared(arguments):
    """Builds the programs and images. Returns the test program, kubectl and the directory of images."""
    builder = store.Builder(say)
    release = store.release_directory(arguments.release)
    end_to_end = builder.tool(f"e2e.test-{arguments.release}")
    test = builder.tool(f"{PROGRAMS[arguments.suite]}-{arguments.release}")
    return test, release / "bin" / "kubectl", images.directory(arguments.release, suite.images(end_to_end), say)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", default=recipes.DEFAULT_RELEASE, choices=recipes.E2E_RELEASES)
    parser.add_argument("--kubeadm", type=Path, default=hosts.PROJECT / "build" / "bin" / "kubeadm")
    parser.add_argument("--suite", default="conformance", choices=sorted(PROGRAMS))
    parser.add_argument("--cluster", dest="titles", nargs="+", default=TITLES, choices=TITLES)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--jobs", type=int, default=4, help="processes that test at a time (4)")
    parser.add_argument("--batch", type=int, default=8, help="tests of one process (8)")
    parser.add_argument("--minutes", type=float, default=24 * 60, help="of each cluster: then no more tests begin")
    arguments = parser.parse_args()
    arguments.output = OUTPUT / arguments.release / arguments.suite
    return arguments


def main():
    arguments = parse_arguments()
    programs = prepared(arguments)
    names = chosen(arguments, programs[0])
    upstream = store.release_directory(arguments.release) / "upstream" / "kubeadm"
    kubeadms = {"ours": arguments.kubeadm, "upstream": upstream}
    try:
        for title in [] if arguments.report else arguments.titles:
            run(arguments, title, kubeadms[title], programs, names)
    except (hosts.HostError, template.TemplateError, CgroupError) as error:
        sys.exit(f"conformance: {error}")
    worse = report(arguments, names)
    for row in worse:
        print(f"fails on ours only: {row.name}")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
