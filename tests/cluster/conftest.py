# SPDX-License-Identifier: Apache-2.0
"""Fixtures: hosts that are removed after the test, with their logs kept if it failed, and recorded times.
"""

import dataclasses
import re
import shutil
import time
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

from cluster import hosts
from components import recipes, store

LOGS = hosts.PROJECT / "build" / "logs"
# The slowest files, which start first. A slow file that started last would run alone at the end.
LONGEST = ["test_rotate_ca", "test_reset", "test_quorum", "test_drift", "test_upgrade_interop", "test_upgrade_faults",
           "test_join"]
TIMES = pytest.StashKey()
BENCH = pytest.StashKey()


def pytest_addoption(parser):
    group = parser.getgroup("cluster")
    group.addoption("--kubeadm", type=Path, default=hosts.PROJECT / "build" / "bin" / "kubeadm")
    group.addoption(
        "--upstream",
        action="store_true",
        help="test upstream's kubeadm; leaves out what only ours promises",
    )
    group.addoption("--short", action="store_true", help="leave out the tests that take minutes each (marked `long`)")


def pytest_configure(config):
    config.addinivalue_line("markers", "ours: upstream's kubeadm does not promise this")
    config.addinivalue_line("markers", "long: takes minutes")
    config.stash[TIMES] = []
    config.pluginmanager.register(Times(config))


class Times:
    """Prints the recorded times at the end, including those of tests in other processes."""

    def __init__(self, config):
        self.config = config
        self.seen = []

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self):
        report = (yield).get_result()
        noted = self.config.stash[TIMES]
        report.user_properties.extend(("time", entry) for entry in noted)
        noted.clear()

    def pytest_runtest_logreport(self, report):
        for kind, entry in report.user_properties:
            if kind == "time" and tuple(entry) not in self.seen:
                self.seen.append(tuple(entry))

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("times")
        for test, what, seconds in self.seen:
            terminalreporter.write_line(f"{seconds:6.1f} s  {test}: {what}")


class LongestFirst(LoadFileScheduling):
    """Starts the files of LONGEST first. By default, xdist starts the files with the most tests first."""

    def _assign_work_unit(self, node):
        def place(file):
            name = Path(file).stem
            return LONGEST.index(name) if name in LONGEST else len(LONGEST)

        self.workqueue.move_to_end(min(self.workqueue, key=place), last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return LongestFirst(config, log)


def pytest_collection_modifyitems(config, items):
    if config.getoption("--upstream"):
        for item in items:
            if item.get_closest_marker("ours"):
                item.add_marker(pytest.mark.skip(reason="upstream's kubeadm does not promise this"))
    if config.getoption("--short"):
        left_out = [item for item in items if item.get_closest_marker("long")]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Keeps the logs of every host of a failed test, including hosts that the test has removed."""
    report = (yield).get_result()
    bench = item.config.stash.get(BENCH, None)
    if report.failed and bench:
        directory = LOGS / str(bench.run.directory.name) / re.sub(r"[^\w.-]+", "_", item.name)
        if bench.ended.exists():
            hosts.copy_logs(bench.ended, directory)
        for host in bench.hosts():
            host.save_logs(directory)
        report.sections.append(("host logs", str(directory)))
    if bench and report.when == "teardown":
        shutil.rmtree(bench.ended, ignore_errors=True)


@pytest.fixture(scope="session")
def kubeadm(pytestconfig):
    """The binary under test."""
    if pytestconfig.getoption("--upstream"):
        path = store.release_directory(recipes.DEFAULT_RELEASE) / "upstream" / "kubeadm"
    else:
        path = pytestconfig.getoption("--kubeadm")
    if not path.exists():
        pytest.exit(
            f"{path} is missing: ./dev build makes ours, tests/components/build upstream's", 3
        )
    return path


@pytest.fixture(scope="session")
def bench(pytestconfig):
    with hosts.Bench.create(say=hosts.quiet) as bench:
        pytestconfig.stash[BENCH] = bench
        yield bench


@dataclasses.dataclass
class Outcome:
    """The outcome of a run of kubeadm. `text` is its whole output, stdout first."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def text(self):
        return self.stdout + self.stderr


class Machine:
    """A host together with the kubeadm under test."""

    def __init__(self, host, note):
        self.host = host
        self.note = note

    def init(self, *flags, config="/root/init.yaml", timeout=300):
        """Runs `kubeadm init` with the configuration file `config`."""
        return self.kubeadm("init", "--config", config, *flags, timeout=timeout)

    def join(self, *arguments, timeout=300, **options):
        """Runs `kubeadm join`. Ignores the preflight checks that fail on hosts of the bench."""
        ignored = "--ignore-preflight-errors=NumCPU,SystemVerification,Swap"
        return self.kubeadm("join", *arguments, ignored, timeout=timeout, **options)

    def kubeadm(self, command, *arguments, **options):
        """Runs a kubeadm command. Appends its output to the host's kubeadm.log, and records its time."""
        begin = time.monotonic()
        result = self.host.run("kubeadm", command, *arguments, check=False, **options)
        outcome = Outcome(result.returncode, result.stdout, result.stderr, time.monotonic() - begin)
        with open(self.host.logs / "kubeadm.log", "a", encoding="utf-8") as log:
            log.write(
                f"kubeadm {command} {' '.join(arguments)}: exit {outcome.code}\n{outcome.text}\n"
            )
        self.note(f"kubeadm {command} on {self.host.name}, exit {outcome.code}", outcome.seconds)
        return outcome


@pytest.fixture(scope="module")
def note_of_module(request):
    return _note(request)


@pytest.fixture
def note(request):
    """Returns a function note(what, seconds), which adds a time to the summary."""
    return _note(request)


def _note(request):
    return lambda what, seconds: request.config.stash[TIMES].append(
        (request.node.name, what, seconds)
    )


@pytest.fixture
def cluster(bench, kubeadm, note, request):
    """A cluster of one control plane for this test. Files that use one cluster for all their tests have their own
    fixture."""
    # Imported here, because a cluster consists of machines from this file.
    from cluster.clusters import Cluster

    made = Cluster(bench, kubeadm, note)
    request.addfinalizer(made.down)
    made.machine("cp-one")
    made.init()
    yield made


@pytest.fixture
def machine(bench, kubeadm, note, request):
    """A fresh host. Parametrize it indirectly to pass options of Host.up."""
    host = bench.host("alpha", kubeadm=kubeadm, **getattr(request, "param", {}))
    note("host up", sum(host.timings.values()))
    yield Machine(host, note)
    host.down()
