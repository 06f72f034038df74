# SPDX-License-Identifier: Apache-2.0
"""Commands that only write files are killed before each of their effects. The kubelet does not run."""

import pytest

from cluster.conftest import Machine
from kill_points.states import node_state
from kill_points.trial import Trial

pytestmark = pytest.mark.ours

INIT = ("--config", "/root/init.yaml")
SAVED = "/var/log/saved.tar"  # not in a directory that the commands empty
PLACES = "etc/kubernetes var/lib/kubelet var/lib/slipway"
ENOUGH = 25  # because points of these commands take less than a second each


@pytest.fixture
def few_seconds(kill_points):
    return kill_points.at_least(ENOUGH)


def saved(machine):
    machine.host.run("sh", "-c", f"cd / && mkdir -p {PLACES} && tar -cf {SAVED} {PLACES}")


def restored(machine):
    """Removes the node's files and restores the saved ones."""
    machine.host.run(
        "sh", "-c", f"cd / && for each in {PLACES}; do find $each -mindepth 1 -delete; done; tar -xf {SAVED}"
    )
    return machine


@pytest.fixture(scope="module")
def host_of_files(bench, kubeadm, note_of_module):
    """A host without a cluster."""
    host = bench.host("alpha", kubeadm=kubeadm)
    machine = Machine(host, note_of_module)
    saved(machine)
    host.run("cp", SAVED, SAVED + ".empty")
    yield machine
    host.down()


@pytest.fixture
def empty(host_of_files):
    host_of_files.host.run("cp", SAVED + ".empty", SAVED)
    return restored(host_of_files)


@pytest.fixture
def written(empty):
    """The host with the certificates and kubeconfig files of a control plane."""
    for phase in ("certs", "kubeconfig"):
        assert empty.kubeadm("init", "phase", phase, "all", *INIT).code == 0
    saved(empty)
    return empty


@pytest.mark.parametrize("phase", ["certs all", "kubeconfig all", "control-plane all", "etcd local"])
def test_a_phase_of_init(empty, phase, few_seconds, report):
    if "kubeconfig" in phase:
        assert empty.kubeadm("init", "phase", "certs", "ca", *INIT).code == 0
        saved(empty)
    arguments = ("init", "phase", *phase.split(), *INIT)
    Trial(f"init phase {phase}", lambda: restored(empty), arguments).run(report, few_seconds)


def test_requests_for_an_external_authority(empty, few_seconds, report):
    arguments = ("certs", "generate-csr", *INIT)
    Trial("certs generate-csr", lambda: restored(empty), arguments).run(report, few_seconds)


@pytest.mark.parametrize("which", ["all", "apiserver", "admin.conf"])
def test_renew(written, which, few_seconds, report):
    arguments = ("certs", "renew", which)
    Trial(f"certs renew {which}", lambda: restored(written), arguments).run(report, few_seconds)


def test_any_renewal_finishes_an_interrupted_one(written, few_seconds, report):
    """A renewal is killed. Another renewal command, for which no certificate is due, must complete it."""

    def state(host):  # the next write in a directory removes leftovers of a killed write
        return {path: text for path, text in node_state(host).items() if "/.slipway-" not in path}

    arguments = ("certs", "renew", "apiserver")
    trial = Trial("certs renew apiserver, then another", lambda: restored(written), arguments, state)
    trial.again = ("certs", "renew", "all", "--if-expires-within", "1h")
    trial.run(report, few_seconds)


def test_reset_of_files(written, few_seconds, report):
    Trial("reset of files", lambda: restored(written), ("reset", "--force")).run(report, few_seconds)
