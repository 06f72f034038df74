# SPDX-License-Identifier: Apache-2.0
"""`kubeadm init` on a fresh host ends with a working cluster."""

import json
import re

import pytest

from cluster import echo, kubernetes
from cluster.conftest import Machine

PKI = "/etc/kubernetes/pki"


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module):
    """A host on which init has run. The tests of this file share it, and leave it healthy."""
    host = bench.host("first", kubeadm=kubeadm)
    machine = Machine(host, note_of_module)
    outcome = machine.init()
    assert outcome.code == 0, outcome.text
    yield machine
    host.down()


def wait_for_node(host):
    host.kubectl("wait", "--for=condition=Ready", f"node/{host.name}", "--timeout=60s")


def test_node_and_every_pod_become_ready(cluster, note):
    note("all Ready after init", kubernetes.wait_healthy(cluster.host))


def test_service_answers_by_name_and_by_address(cluster):
    echo.deploy(cluster.host)
    echo.assert_answers(cluster.host)


def test_a_second_run_names_existing_files_and_changes_nothing(cluster):
    outcome = cluster.init()
    assert outcome.code != 0
    assert "/etc/kubernetes/manifests/kube-apiserver.yaml" in outcome.text
    assert kubernetes.look(cluster.host, [cluster.host.name]).healthy


API_NAMES = [
    "first",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
]


@pytest.mark.parametrize(
    ("certificate", "authority", "purpose", "names", "addresses"),
    [
        ("apiserver", "ca", "sslserver", API_NAMES, ["10.96.0.1", "@host@"]),
        ("apiserver-kubelet-client", "ca", "sslclient", [], []),
        ("front-proxy-client", "front-proxy-ca", "sslclient", [], []),
        (
            "etcd/server",
            "etcd/ca",
            "sslserver",
            ["first", "localhost"],
            ["127.0.0.1", "::1", "@host@"],
        ),
        (
            "etcd/peer",
            "etcd/ca",
            "sslserver",
            ["first", "localhost"],
            ["127.0.0.1", "::1", "@host@"],
        ),
        ("etcd/healthcheck-client", "etcd/ca", "sslclient", [], []),
        ("apiserver-etcd-client", "etcd/ca", "sslclient", [], []),
    ],
)
def test_certificate_verifies(cluster, certificate, authority, purpose, names, addresses):
    def verify(*more):
        return cluster.host.run(
            "openssl",
            "verify",
            "-x509_strict",
            "-CAfile",
            f"{PKI}/{authority}.crt",
            "-purpose",
            purpose,
            *more,
            f"{PKI}/{certificate}.crt",
            check=False,
        )

    for more in [
        [],
        *(["-verify_hostname", name] for name in names),
        *(["-verify_ip", address.replace("@host@", cluster.host.address)] for address in addresses),
    ]:
        answer = verify(*more)
        assert answer.returncode == 0, f"{more}: {answer.stdout}{answer.stderr}"
    if names:
        assert verify("-verify_hostname", "elsewhere").returncode != 0


def test_keys_are_readable_by_root_only(cluster):
    loose = cluster.host.run(
        "find",
        "/etc/kubernetes",
        "(",
        "-name",
        "*.key",
        "-o",
        "-name",
        "*.conf",
        ")",
        "-perm",
        "/077",
    ).stdout
    assert loose == ""


def test_kubelet_uses_the_certificate_that_it_rotates(cluster):
    assert "/var/lib/kubelet/pki/kubelet-client-current.pem" in cluster.host.read(
        "/etc/kubernetes/kubelet.conf"
    )


def test_systemd_starts_the_kubelet_after_a_reload(cluster):
    calls = (cluster.host.logs / "init-system.log").read_text()
    assert re.search(
        r"systemctl stop kubelet(.*\n)+systemctl daemon-reload\nsystemctl (re)?start kubelet", calls
    )


@pytest.mark.parametrize("machine", [{"init_system": "openrc"}], indirect=True)
def test_openrc_starts_the_kubelet(machine):
    outcome = machine.init()
    assert outcome.code == 0, outcome.text
    wait_for_node(machine.host)
    calls = (machine.host.logs / "init-system.log").read_text()
    assert re.search(r"rc-service kubelet stop\n(.*\n)*rc-service kubelet (re)?start", calls)


@pytest.mark.parametrize("machine", [{"init_system": "none"}], indirect=True)
def test_without_an_init_system_init_warns_and_continues(machine):
    outcome = machine.init()
    assert outcome.code == 0, outcome.text
    assert "init system" in outcome.text
    wait_for_node(machine.host)


def phases_of_help(text):
    """Returns the paths ("certs/ca") of the phases that `kubeadm init --help` lists above its usage."""
    rows = re.findall(r"^ *(/?[a-z][a-z-]+)  +\S", text.split("\nUsage:")[0], re.MULTILINE)
    paths, group = [], ""
    for name in rows:
        if not name.startswith("/"):
            group = name
        paths.append(group + name if name.startswith("/") else name)
    return paths


@pytest.mark.ours
def test_events_parse_and_name_every_phase(machine):
    outcome = machine.init("--output", "json")
    events = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert outcome.code == 0, outcome.text
    assert all(event["type"] and event["time"] for event in events)
    assert events[-1]["type"] == "run_finished" and events[-1]["ok"]
    named = {event["phase"] for event in events if "phase" in event}
    listed = phases_of_help(machine.host.run("kubeadm", "init", "--help").stdout)
    groups = {path.rsplit("/", 1)[0] for path in listed if "/" in path}
    # A phase may consist of parts that the help does not list.
    named |= {path.split("/")[0] for path in named}
    assert set(listed) - groups <= named
