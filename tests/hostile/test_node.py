# SPDX-License-Identifier: Apache-2.0
"""A complete node with a malicious or broken server instead of its cluster: the requests that only such a node sends,
and each phase separately."""

import base64
import json
import os
import re
import subprocess

import pytest

from answers import BEHAVIOURS, TOKEN
from programs import run
from test_server import ABOUT_OBJECTS, CONFIG, JOIN, MOST_SECONDS, check
from world import Server, answer, cluster_info, kubeconfig

ADDRESS = "10.66.0.1"
CLUSTER = "---\napiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: v1.36.0\n"
UPGRADE = {"command": "apply", "from": "v1.35.4", "to": "v1.36.0", "complete": True, "manifests": {}, "serving": {},
           "etcdData": "", "kubeletConfig": ""}

COMMANDS = {
    "mark-control-plane": ["init", "phase", "mark-control-plane", "--config", "{init}"],
    "rotate-ca": ["certs", "rotate-ca", "kubernetes", "--upload-certs"],
    "upgrade rollback": ["upgrade", "rollback", "--yes"],
    **{f"upgrade apply's {name}": ["upgrade", "apply", "phase", *name.split(), "v1.36.0", "--config", "{upgrade}"]
       for name in ("addon all", "bootstrap-token", "control-plane", "kubelet-config", "preflight", "upload-config all")},
    **{f"upgrade node's {name}": ["upgrade", "node", "phase", *name.split(), "--config", "{upgrade}"]
       for name in ("addon all", "kubelet-config", "preflight")},
}
# `rotate-ca` waits up to four minutes for each API server that it restarts. It meets only a few hostile answers.
PATIENT, PATIENCE = "rotate-ca", 260
MEETS = ("has wrong types within", "has the wrong types", "is null", "is a list", "403", "503",
         "writes on the terminal in all that it has")
PAIRS = [(name, word) for name in COMMANDS for word in ABOUT_OBJECTS if name != PATIENT or word in MEETS]
# Left out are `wait-control-plane` and `kubelet-wait-bootstrap`, which query only the node itself.
JOINS = ["preflight", "control-plane-prepare download-certs", "control-plane-prepare certs",
         "control-plane-prepare kubeconfig", "control-plane-prepare control-plane", "kubelet-start", "etcd-join",
         "control-plane-join mark-control-plane"]
AFTER_FILES = JOINS[-4:]


def ip(words):
    subprocess.run(f"ip {words}", shell=True, check=True)


@pytest.fixture(scope="module", autouse=True)
def network():
    """A separate network, in which the loopback interface has a global address. Nodes need no other interface."""
    if os.geteuid() != 0:
        pytest.skip("a network of its own needs root")
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    os.unshare(os.CLONE_NEWNET)
    ip("link set lo up")
    ip(f"address add {ADDRESS}/24 dev lo scope global")
    yield
    os.setns(before, os.CLONE_NEWNET)
    os.close(before)


def configuration(port):
    return (CONFIG % "InitConfiguration" + "nodeRegistration: {name: cp-one, ignorePreflightErrors: [all]}\n"
            f"localAPIEndpoint: {{advertiseAddress: {ADDRESS}, bindPort: {port}}}\n" + CLUSTER)


@pytest.fixture(scope="module")
def whole(kubeadm, network, tmp_path_factory):
    """The files of a control-plane node: path → source."""
    directory = tmp_path_factory.mktemp("whole")
    (directory / "init").write_text(configuration(6443))
    phases = ("certs all", "kubeconfig all", "etcd local", "control-plane all")
    script = "set -e\n" + "".join(f"{kubeadm} init phase {phase} --config {directory / 'init'}\n" for phase in phases)
    outcome = run(["bash", "-c", script + f"cp -r /etc/kubernetes {directory / 'made'}"])
    assert outcome.code == 0, outcome
    made = directory / "made"
    return {f"/etc/kubernetes/{file.relative_to(made)}": file for file in made.rglob("*") if file.is_file()}


def laid(whole, server, ca_pem, directory):
    """Returns the files of the complete node, whose kubeconfig files name the server."""
    files = dict(whole)
    authority = base64.b64encode(ca_pem.encode()).decode()
    for place in [place for place in whole if place.endswith(".conf")]:
        text = re.sub(r"(?m)^( *server): .*$", rf"\1: {server.url}", whole[place].read_text())
        text = re.sub(r"(?m)^( *certificate-authority-data): .*$", rf"\1: {authority}", text)
        files[place] = directory / place.rsplit("/", 1)[1]
        files[place].write_text(text)
    return files


@pytest.mark.parametrize("name, word", PAIRS)
def test_whole_node(kubeadm, ours, whole, tmp_path, name, word):
    behave = BEHAVIOURS[word]
    with Server(lambda request: behave(server, request), ours.server(tmp_path, ADDRESS), host=ADDRESS) as server:
        (tmp_path / "record").write_text(json.dumps(UPGRADE))
        (tmp_path / "init").write_text(configuration(server.port))
        (tmp_path / "upgrade").write_text(CONFIG % "UpgradeConfiguration" +
                                          "apply: {ignorePreflightErrors: [all]}\nnode: {ignorePreflightErrors: [all]}\n")
        words = [word.format(init=tmp_path / "init", upgrade=tmp_path / "upgrade") for word in COMMANDS[name]]
        seconds = PATIENCE if name == PATIENT else MOST_SECONDS
        outcome = run([kubeadm, *words], limit=2 * seconds,
                      laid={**laid(whole, server, ours.pem(), tmp_path),
                            "/var/lib/slipway/upgrade.json": tmp_path / "record"})
        check(outcome, seconds)
        assert server.requests, outcome
        assert outcome.code != 0 or word not in ("403", "429", "503"), outcome


@pytest.mark.parametrize("word", ABOUT_OBJECTS)
@pytest.mark.parametrize("phase", JOINS)
def test_phases_of_join(kubeadm, ours, whole, tmp_path, phase, word):
    """The server returns a valid cluster-info, but hostile answers to all other requests of the phase. The phase must
    fail within the limits. For the phases that need the node's files, these files exist."""
    behave = BEHAVIOURS[word]

    def verified(request):
        if "/configmaps/cluster-info" in request:
            return iter([answer(200, cluster_info(kubeconfig(server.url, ours.pem(), ""), TOKEN))])
        return behave(server, request)

    with Server(verified, ours.server(tmp_path, ADDRESS), host=ADDRESS) as server:
        (tmp_path / "join").write_text(
            f"{JOIN}discovery:\n  bootstrapToken:\n    token: {TOKEN}\n    apiServerEndpoint: {server.address}\n"
            f"    caCertHashes: ['{ours.pin()}']\n"
            f"controlPlane:\n  localAPIEndpoint: {{advertiseAddress: {ADDRESS}, bindPort: {server.port}}}\n"
            f"  certificateKey: {'ab' * 32}\n")
        outcome = run([kubeadm, "join", "phase", *phase.split(), "--config", tmp_path / "join"],
                      limit=2 * MOST_SECONDS,
                      laid=laid(whole, server, ours.pem(), tmp_path) if phase in AFTER_FILES else None)
        check(outcome)
        assert outcome.code != 0 and server.requests, outcome
