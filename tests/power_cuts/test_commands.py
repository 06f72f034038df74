# SPDX-License-Identifier: Apache-2.0
"""The machine loses power during a command. The disk must be sound at each moment, and the same command must succeed
after a boot.

The command runs once, on a host whose files are on a disk with recorded writes. Each cut creates the disk of a moment
during the run, without some of the writes since the last flush.
"""

import dataclasses
import shutil
from typing import Callable

import pytest

from cluster import kubernetes
from cluster.conftest import Machine
from cluster.trees import difference
from cluster.upgrades import HOST, IGNORED, NEW
from components import recipes, store
from kill_points.states import cluster_state, node_state
from power_cuts.recorder import MOUNTED, SIZE, Changes, Recorder, attach, detach, mount, mounted_here
from power_cuts.states import defects
from power_cuts.writes import Disk, choose

pytestmark = pytest.mark.ours


@dataclasses.dataclass(frozen=True)
class Scenario:
    """A command on a host with these options. `prepare` brings the host to the state before the command."""

    name: str
    command: tuple
    prepare: Callable
    host: dict = dataclasses.field(default_factory=dict)


def nothing(_):
    pass


def initialised(machine):
    outcome = machine.init()
    assert outcome.code == 0, outcome.text
    kubernetes.wait_healthy(machine.host)


SCENARIOS = [
    Scenario("init", ("init", "--config", "/root/init.yaml"), nothing),
    Scenario("renew", ("certs", "renew", "all", "--restart"), initialised),
    Scenario("rotate-ca", ("certs", "rotate-ca", "front-proxy"), initialised),
    Scenario("config-apply", ("config", "apply", "--set", "scheduler.extraArgs.v=3", "--set", "kubelet.maxPods=99",
                              "--yes"), initialised),
    Scenario("upgrade", ("upgrade", "apply", NEW, "--yes", IGNORED), initialised, HOST),
]


class Recording:
    """One run of a scenario's command on a recorded disk, and the disks after power cuts."""

    def __init__(self, scenario, start, directory, file_system):
        self.scenario = scenario
        self.directory = directory
        self._start = start
        with Recorder(directory, file_system) as recorder:
            machine = start()
            try:
                self._record(machine, recorder)
            finally:
                machine.host.down()
        self.disk = Disk(recorder.log, directory / "replayed", SIZE)

    def _record(self, machine, recorder):
        host = machine.host
        recorder.put_into(host)
        self.scenario.prepare(machine)
        host.run("sync", "-f", MOUNTED)
        self.begin = recorder.position
        with Changes(recorder, host) as changes:
            outcome = machine.kubeadm(*self.scenario.command, timeout=600)
        assert outcome.code == 0, outcome.text
        host.run("sync", "-f", MOUNTED)
        self.end = recorder.position
        self.changes = changes.positions
        self.expected = state(machine)

    def cuts(self, number):
        return choose(self.begin, self.end, self.changes, number)

    def image(self, cut):
        """Returns the disk after that cut."""
        target = self.directory / "image"
        self.disk.cut(cut, target)
        return target

    def inspect(self, image):
        """Returns the defects of the files on an image."""
        mounted = self.directory / "mounted"
        mounted.mkdir(exist_ok=True)
        release = self.scenario.host.get("release", recipes.DEFAULT_RELEASE)
        etcd = store.release_directory(self.scenario.host.get("also", (release,))[0]) / "bin" / "etcd"
        with mounted_here(image, mounted):
            return defects(mounted, self.directory, etcd)

    def boot(self, image):
        """Starts a host with that disk, and runs the same command immediately. Returns the defects."""
        machine = self._start()
        loop = attach(image)
        try:
            mount(machine.host, loop)
            outcome = machine.kubeadm(*self.scenario.command, timeout=600)
            if outcome.code != 0:
                return [f"after the boot, exit {outcome.code}:", *outcome.text.splitlines()]
            return difference(self.expected, state(machine)).splitlines()
        finally:
            machine.host.down()
            detach(loop)


def state(machine):
    """Returns the node's files and the cluster's objects, when the cluster is healthy."""
    kubernetes.wait_healthy(machine.host)
    return node_state(machine.host) | cluster_state(machine.host)


@pytest.fixture
def start(bench, kubeadm, note):
    """Returns start(options), which starts a host with the same name and address as before."""
    return lambda options: Machine(bench.host("alpha", kubeadm=kubeadm, **options), note)


@pytest.fixture
def directory(tmp_path):
    yield tmp_path
    shutil.rmtree(tmp_path, ignore_errors=True)  # the files take gigabytes


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_power_cut_leaves_a_sound_disk(scenario, file_system, numbers, start, directory):
    recording = Recording(scenario, lambda: start(scenario.host), directory, file_system)
    number, boots = numbers
    cuts = recording.cuts(number)
    assert len(cuts) == number, f"only {len(cuts)} cuts in {recording.end - recording.begin} writes"
    booted = {cuts[(at * 2 + 1) * number // (boots * 2)] for at in range(boots)}
    wrong = []
    for cut in cuts:
        image = recording.image(cut)
        found = recording.inspect(image)
        if cut in booted:
            found += recording.boot(image)
        if found:
            wrong.append("\n  ".join([str(cut), *found]))
            print(wrong[-1], flush=True)
    print(f"{scenario.name} on {file_system}: {recording.end - recording.begin} writes and flushes, "
          f"{len(recording.changes)} changes of files, {number} cuts, {boots} boots, {len(wrong)} with defects")
    assert not wrong, "\n".join(wrong)
