# SPDX-License-Identifier: Apache-2.0
"""`kubeadm join`: workers by every kind of discovery, refusals, and joins that are killed."""

import contextlib
import json
import re
import textwrap
import threading

import pytest

from cluster import kubernetes
from cluster.clusters import ENDPOINT, Cluster, leftovers
from cluster.processes import wait_until
from cluster.test_killed import started_phases
from cluster.trees import difference, tree

SOON = 10  # limit in seconds for refusing a join that can never succeed
UNSIGNED = 80  # limit in seconds for a token whose signature is missing, because it may be added later


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request):
    """One control plane, at an endpoint that can be moved; the tests add workers to it."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    cluster.machine("control")
    cluster.init()
    yield cluster


@pytest.fixture
def worker(cluster, request):
    """A fresh host with the test's name. After the test it is removed, and its Node is deleted."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())[-40:].strip("-")
    machine = cluster.machine(name)
    yield machine
    cluster.machines.remove(machine)
    machine.host.down()
    cluster.first.host.kubectl("delete", "node", name, "--ignore-not-found", "--wait=false")


def is_ready(cluster, machine):
    """Returns True if the node is Ready. Its Node appears a moment after its kubelet has its certificate."""
    name = machine.host.name
    mine = [node for node in kubernetes.listed(cluster.first.host, "nodes") if node["metadata"]["name"] == name]
    return not [
        problem for problem in kubernetes.judge(mine, [], [name]).missing if "node" in problem
    ]


def joined(cluster, worker, *arguments, **options):
    """Joins, and waits until the node is Ready."""
    outcome = worker.join(*arguments, **options)
    assert outcome.code == 0, outcome.text
    assert wait_until(lambda: is_ready(cluster, worker), timeout=120)
    assert not worker.host.path("/etc/kubernetes/bootstrap-kubelet.conf").exists()
    return outcome


def discovery_file(cluster, name, user=True):
    """Returns path and content of a discovery file: the administrator's kubeconfig. With user=False, the file has only
    the cluster, without contexts, like ConfigMap cluster-info."""
    config = json.loads(cluster.first.host.kubectl("config", "view", "--raw", "-o", "json"))
    if not user:
        config |= {"users": [], "contexts": [], "current-context": ""}
        config["clusters"][0]["name"] = ""
    return f"/root/{name}", json.dumps(config)


def test_a_worker_joins_by_token_and_pin(cluster, worker):
    token, pin, _ = cluster.credentials()
    joined(cluster, worker, *cluster.worker_arguments(token, pin))


def test_a_worker_that_was_reset_is_as_it_was(cluster, worker):
    before = tree(worker.host)
    token, pin, _ = cluster.credentials()
    outcome = worker.join(*cluster.worker_arguments(token, pin))
    assert outcome.code == 0, outcome.text
    outcome = worker.kubeadm("reset", "--force")
    assert outcome.code == 0, outcome.text
    assert difference(before, tree(worker.host)) == ""


def test_a_worker_joins_with_one_of_several_pins(cluster, worker):
    token, pin, _ = cluster.credentials()
    other = "sha256:" + "0" * 64
    joined(cluster, worker, *cluster.worker_arguments(token, f"{other},{pin}"))


@pytest.mark.ours  # upstream accepts a token only from the command line
@pytest.mark.parametrize("way", ["file", "stdin"])
def test_the_token_is_in_no_process_list(cluster, worker, way):
    token, pin, _ = cluster.credentials()
    worker.host.write("/root/token", token + "\n", mode=0o600)
    arguments = {"file": ["--token-file", "/root/token"], "stdin": ["--token", "-"]}[way]
    outcome = joined(
        cluster,
        worker,
        ENDPOINT,
        *arguments,
        "--discovery-token-ca-cert-hash",
        pin,
        stdin=token + "\n",
    )
    assert token.split(".")[1] not in outcome.text


def test_a_worker_joins_by_token_without_pin(cluster, worker):
    token, _, _ = cluster.credentials()
    joined(
        cluster, worker, ENDPOINT, "--token", token, "--discovery-token-unsafe-skip-ca-verification"
    )


def test_a_worker_joins_by_a_file_with_credentials(cluster, worker):
    path, text = discovery_file(cluster, "with-user.conf")
    worker.host.write(path, text, mode=0o600)
    joined(cluster, worker, "--discovery-file", path)


def test_a_worker_joins_by_file_and_token(cluster, worker):
    token, _, _ = cluster.credentials()
    path, text = discovery_file(cluster, "cluster.conf", user=False)
    worker.host.write(path, text)
    joined(cluster, worker, "--discovery-file", path, "--tls-bootstrap-token", token)


def serve_https(host, directory):
    """Serves a directory of the host over HTTPS; returns the process."""
    host.run(
        *"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=api.bench".split(),
        *f"-addext subjectAltName=DNS:api.bench -keyout {directory}/key -out {directory}/cert".split(),
    )
    program = textwrap.dedent(f"""
        import http.server, ssl
        server = http.server.HTTPServer(("", 8443), http.server.SimpleHTTPRequestHandler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("{directory}/cert", "{directory}/key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.serve_forever()
        """)
    host.write(f"{directory}/serve.py", f"import os; os.chdir('{directory}')\n{program}")
    with open(host.logs / "https.log", "w", encoding="utf-8") as log:
        server = host.start("/usr/bin/python3", f"{directory}/serve.py", output=log)
    host.run("bash", "-c", "until ss -ltn | grep -q :8443; do sleep 0.05; done", timeout=10)
    return server


def test_a_worker_joins_by_a_file_from_an_https_url(cluster, worker):
    """The worker's trust store contains the certificate of the HTTPS server that has the discovery file. The worker
    must join."""
    path, text = discovery_file(cluster, "served/cluster.conf")
    first = cluster.first.host
    first.write(path, text)
    server = serve_https(first, "/root/served")
    bundle = "/etc/ssl/certs/ca-certificates.crt"
    worker.host.write(bundle, worker.host.read(bundle) + first.read("/root/served/cert"))
    try:
        joined(cluster, worker, "--discovery-file", "https://api.bench:8443/cluster.conf")
    finally:
        first.kill(server)


def refused(worker, cause, *arguments):
    outcome = worker.join(*arguments)
    assert outcome.code == 1
    for word in cause:
        assert word in outcome.text, outcome.text
    assert leftovers(worker.host) == []
    return outcome


@pytest.mark.ours
def test_wrong_pin_is_refused(cluster, worker):
    token, _, _ = cluster.credentials()
    arguments = cluster.worker_arguments(token, "sha256:" + "0" * 64)
    assert refused(worker, ["sha256:"], *arguments).seconds < SOON


@pytest.mark.ours
def test_unknown_token_is_refused(cluster, worker):
    _, pin, _ = cluster.credentials()
    token = "aaaaaa.0123456789abcdef"
    outcome = refused(worker, ["token", "aaaaaa"], *cluster.worker_arguments(token, pin))
    assert outcome.seconds < UNSIGNED
    assert "0123456789abcdef" not in outcome.text


@pytest.mark.ours
def test_expired_token_is_refused(cluster, worker):
    _, pin, _ = cluster.credentials()
    first = cluster.first.host
    token = first.run("kubeadm", "token", "create", "--ttl", "1s").stdout.strip()
    secret = f"bootstrap-token-{token.split('.')[0]}"
    # The token cleaner deletes the Secret after the token has expired.
    assert wait_until(
        lambda: secret not in first.kubectl("get", "secrets", "-n", "kube-system"), timeout=120
    )
    arguments = cluster.worker_arguments(token, pin)
    assert refused(worker, ["token"], *arguments).seconds < UNSIGNED


def test_a_cluster_info_that_comes_late_is_waited_for(cluster, worker):
    """cluster-info is created ten seconds after the join has started, as on a new control plane that is still in init.
    The join must wait for it."""
    token, pin, _ = cluster.credentials()
    first = cluster.first.host
    saved = first.kubectl("get", "configmap", "cluster-info", "-n", "kube-public", "-o", "yaml")
    first.write("/root/cluster-info.yaml", re.sub(r"\n  (resourceVersion|uid): .*", "", saved))
    first.kubectl("delete", "configmap", "cluster-info", "-n", "kube-public")
    late = threading.Timer(10, lambda: first.kubectl("apply", "-f", "/root/cluster-info.yaml"))
    late.start()
    try:
        joined(cluster, worker, *cluster.worker_arguments(token, pin))
    finally:
        late.join()


def test_name_of_a_ready_node_is_refused(cluster, worker):
    token, pin, _ = cluster.credentials()
    arguments = cluster.worker_arguments(token, pin)
    name = cluster.first.host.name
    outcome = worker.join(*arguments, "--node-name", name)
    assert outcome.code == 1
    assert name in outcome.text
    assert "Ready" in outcome.text


@contextlib.contextmanager
def nobody_signs(control):
    """Stops the controller manager, so that no certificate is signed, and a join cannot end before it is killed."""
    for_it = ("-f", "^kube-controller-manager")
    control.run("pkill", "-STOP", *for_it)
    try:
        yield
    finally:
        control.run("pkill", "-CONT", *for_it)


def join_and_kill(machine, phase, arguments):
    """Starts a join, and sends SIGKILL when the join reports the start of `phase`."""
    events = machine.host.logs / "killed.log"
    ignored = "--ignore-preflight-errors=NumCPU,SystemVerification,Swap"
    with open(events, "w", encoding="utf-8") as output:
        started = machine.host.start(
            "kubeadm", "join", *arguments, ignored, "--output", "json", output=output
        )
    assert wait_until(
        lambda: phase in started_phases(events) or started.poll() is not None,
        timeout=120,
        pause=0.005,
    )
    ended = started.poll()
    machine.host.kill(started)
    assert ended is None, f"ended before {phase} started:\n{events.read_text()}"


@pytest.mark.ours  # upstream's kubeadm refuses to resume
@pytest.mark.parametrize("phase", ["preflight/cluster", "kubelet-start", "kubelet-wait-bootstrap"])
def test_a_killed_join_of_a_worker_is_resumed(cluster, worker, phase):
    token, pin, _ = cluster.credentials()
    arguments = cluster.worker_arguments(token, pin)
    with nobody_signs(cluster.first.host):
        join_and_kill(worker, phase, arguments)
    joined(cluster, worker, *arguments)
