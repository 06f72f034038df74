# SPDX-License-Identifier: Apache-2.0
"""Bootstrap tokens that are bound to a node, on real hosts: each token gets only the certificate of its node."""

import json
import re
import time

import pytest
import yaml

from cluster.clusters import ENDPOINT, Cluster
from cluster.hosts import KUBECONFIG
from cluster.processes import wait_until
from components import recipes, store

pytestmark = pytest.mark.ours

PATIENCE = 180  # seconds until a request is approved and signed, or a Pod is replaced
SHORT = 20  # seconds that a join waits for its certificate if no approver runs
BLANKET = "kubeadm:node-autoapprove-bootstrap"
CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
SERVING = "kubernetes.io/kubelet-serving"


@pytest.fixture(scope="module")
def upstream():
    return store.release_directory(recipes.DEFAULT_RELEASE) / "upstream" / "kubeadm"


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request):
    """A control plane that binds tokens to nodes. `cluster.output` is the output of init."""
    program = kubeadm.with_name("cluster-machine-approver")
    assert program.exists(), f"{program} is missing: ./dev build makes it"
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    cluster.machine("control").host.copy(program, "/usr/local/bin/cluster-machine-approver")
    cluster.output = cluster.init("--kubelet-serving-certs", "--node-bound-tokens").text
    approver_is_ready(cluster)
    yield cluster


def approver_is_ready(cluster):
    cluster.first.host.kubectl("-n", "kube-system", "rollout", "status", "deployment/machine-approver",
                               f"--timeout={PATIENCE}s")


def run(cluster, *words, code=0):
    done = cluster.first.host.run(*words, check=False, environment=[f"KUBECONFIG={KUBECONFIG}"])
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def exists(cluster, kind, name):
    words = ["kubectl", "get", kind, name]
    return cluster.first.host.run(*words, check=False, environment=[f"KUBECONFIG={KUBECONFIG}"]).returncode == 0


def token_for(cluster, node, *flags):
    """Creates a token that is bound to the node. Returns token and pin, extracted from the output as a user does."""
    command = run(cluster, "kubeadm", "token", "create", "--node", node, "--print-join-command", *flags)
    return (re.search(r"--token (\S+)", command).group(1),
            re.search(r"--discovery-token-ca-cert-hash (\S+)", command).group(1))


def join(machine, token, pin, patience=PATIENCE):
    """Runs `kubeadm join`, which waits at most `patience` seconds for the kubelet's certificate."""
    machine.host.write("/root/join.yaml", yaml.safe_dump({
        "apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "JoinConfiguration",
        "discovery": {"bootstrapToken": {"apiServerEndpoint": ENDPOINT, "token": token, "caCertHashes": [pin]}},
        "nodeRegistration": {"criSocket": "unix:///run/containerd/containerd.sock"},
        "timeouts": {"tlsBootstrap": f"{patience}s"}}))
    return machine.join("--config", "/root/join.yaml")


def requests(cluster, user, signer=CLIENT):
    """Returns the requests of the user as (name, types of conditions), in the order of their creation."""
    items = json.loads(cluster.first.host.kubectl("get", "csr", "-o", "json"))["items"]
    items.sort(key=lambda item: item["metadata"]["creationTimestamp"])
    return [(item["metadata"]["name"],
             [condition["type"] for condition in item.get("status", {}).get("conditions", [])])
            for item in items if item["spec"]["username"] == user and item["spec"]["signerName"] == signer]


def asked_by(token):
    return f"system:bootstrap:{token.split('.')[0]}"


def reasons(cluster, request):
    events = json.loads(cluster.first.host.kubectl("-n", "kube-system", "get", "events", "-o", "json"))["items"]
    return [event["reason"] for event in events if event["involvedObject"]["name"] == request]


def metric(cluster, name):
    text = run(cluster, "curl", "-s", "http://127.0.0.1:9191/metrics")
    return next((line.split()[1] for line in text.splitlines() if line.startswith(f"{name} ")), None)


def remove(cluster, machine):
    cluster.first.host.kubectl("delete", "node", machine.host.name, "--wait=false", "--ignore-not-found")
    machine.host.down()
    cluster.machines.remove(machine)


def test_init_shows_how_nodes_join(cluster):
    assert "kubeadm token create --node NODE-NAME --print-join-command" in cluster.output
    assert "kubeadm join" not in cluster.output
    assert not exists(cluster, "clusterrolebinding", BLANKET)
    assert run(cluster, "kubeadm", "token", "list") == ""


@pytest.mark.parametrize("by", ["ours", "upstream"])
def test_a_node_joins_with_its_token(cluster, upstream, note, by):
    name = f"worker-{by}"
    worker = cluster.machine(name, kubeadm=None if by == "ours" else upstream)
    token, pin = token_for(cluster, name, "--once")
    listed = run(cluster, "kubeadm", "token", "list")
    assert f"bound to node {name}, once" in listed and listed.startswith("TOKEN")
    shown = json.loads(run(cluster, "kubeadm", "token", "list", "-o", "json"))
    assert shown["nodeBinding"] == {"node": name, "once": True}
    outcome = join(worker, token, pin)
    assert outcome.code == 0, outcome.text
    note(f"{by}: all Ready after the join", cluster.wait_healthy())
    assert [conditions for _, conditions in requests(cluster, asked_by(token))] == [["Approved"]]
    run(cluster, "kubeadm", "token", "delete", token.split(".")[0])
    remove(cluster, worker)


def test_a_stolen_token_gets_no_other_node(cluster):
    """A thief has the token of a node that has not joined yet. It requests a certificate under its own name, and then
    under the name of an existing node. Neither request may be approved."""
    token, pin = token_for(cluster, "victim")
    thief = cluster.machine("thief")
    outcome = join(thief, token, pin, SHORT)
    assert outcome.code != 0, outcome.text
    (name, conditions), *_ = requests(cluster, asked_by(token))
    assert conditions == []
    assert wait_until(lambda: "client-token-of-another-node" in reasons(cluster, name), PATIENCE)
    assert f'"{name}" is still pending' in outcome.text and "machine-approver" in outcome.text
    assert not exists(cluster, "node", "thief")
    # With a token, any client can create a request for any name in the API, for example for an existing node.
    config = yaml.safe_load(cluster.first.host.read(KUBECONFIG))
    config["users"][0]["user"] = {"token": token}
    thief.host.write("/root/token.conf", yaml.safe_dump(config))
    thief.host.run("sh", "-c", "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "
                   "/root/stolen.key -subj /O=system:nodes/CN=system:node:control -out /root/stolen.csr")
    request = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
               "metadata": {"name": "stolen"},
               "spec": {"signerName": CLIENT, "usages": ["digital signature", "client auth"],
                        "request": thief.host.run("base64", "-w0", "/root/stolen.csr").stdout.strip()}}
    thief.host.write("/root/stolen.json", json.dumps(request))
    made = thief.host.run("kubectl", "create", "-f", "/root/stolen.json", check=False,
                          environment=["KUBECONFIG=/root/token.conf"])
    assert made.returncode == 0, made.stderr
    assert wait_until(lambda: "client-node-exists" in reasons(cluster, "stolen"), PATIENCE)
    for verb, what in (("get", "secrets"), ("get", "configmaps"), ("delete", "nodes"), ("patch", "configmaps")):
        answer = thief.host.run("kubectl", "auth", "can-i", verb, what, "-n", "kube-system", check=False,
                                environment=["KUBECONFIG=/root/token.conf"])
        assert answer.stdout.split()[:1] == ["no"], (verb, what)
    run(cluster, "kubectl", "delete", "csr", "stolen")
    run(cluster, "kubeadm", "token", "delete", token.split(".")[0])
    thief.host.down()
    cluster.machines.remove(thief)


def test_a_token_of_one_use_is_for_one_key(cluster):
    token, pin = token_for(cluster, "single", "--once")
    single = cluster.machine("single")
    outcome = join(single, token, pin)
    assert outcome.code == 0, outcome.text
    remove(cluster, single)
    again = cluster.machine("single")
    outcome = join(again, token, pin, SHORT)
    assert outcome.code != 0, outcome.text
    name, conditions = requests(cluster, asked_by(token))[-1]
    assert conditions == []
    assert wait_until(lambda: "client-entry-used" in reasons(cluster, name), PATIENCE)
    token, pin = token_for(cluster, "single", "--once")
    outcome = join(again, token, pin)
    assert outcome.code == 0, outcome.text  # the join is resumed with another token
    remove(cluster, again)


def test_an_address_outside_of_the_tokens_networks_is_not_certified(cluster):
    token, pin = token_for(cluster, "moved", "--cidr", "192.0.2.0/24")
    moved = cluster.machine("moved")
    outcome = join(moved, token, pin)
    assert outcome.code == 0, outcome.text
    user = "system:node:moved"
    assert wait_until(lambda: requests(cluster, user, SERVING), PATIENCE)
    name, conditions = requests(cluster, user, SERVING)[0]
    assert conditions == []
    assert wait_until(lambda: "serving-address-not-allowed" in reasons(cluster, name), PATIENCE)
    # The binding outlives the token. It ends when another token is created for the node.
    run(cluster, "kubeadm", "token", "delete", token.split(".")[0])
    time.sleep(3)
    assert requests(cluster, user, SERVING)[0][1] == []
    token_for(cluster, "moved", "--cidr", f"{moved.host.address}/32")
    assert wait_until(lambda: ["Approved"] in [it for _, it in requests(cluster, user, SERVING)], PATIENCE)
    remove(cluster, moved)


def test_a_join_without_an_approver_says_so_and_resumes(cluster):
    host = cluster.first.host
    host.kubectl("-n", "kube-system", "scale", "deployment", "machine-approver", "--replicas=0")
    token, pin = token_for(cluster, "patient")
    patient = cluster.machine("patient")
    outcome = join(patient, token, pin, SHORT)
    assert outcome.code != 0, outcome.text
    assert "is still pending: nothing has approved it" in outcome.text
    assert "kubectl -n kube-system get deployment machine-approver" in outcome.text
    kubelet = patient.host.run("pidof", "kubelet").stdout
    host.kubectl("-n", "kube-system", "scale", "deployment", "machine-approver", "--replicas=1")
    outcome = join(patient, token, pin)
    assert outcome.code == 0, outcome.text
    # A restarted kubelet would request another certificate while the first request is in flight.
    assert patient.host.run("pidof", "kubelet").stdout == kubelet, outcome.text
    remove(cluster, patient)


def test_the_return_of_the_blanket_rule_is_reported(cluster, upstream):
    """Upstream's init phase, which its upgrade also runs, restores the rule that approves all requests of the default
    group. The approver's metric and `doctor` must report it. Bound tokens are not affected, because they are in another
    group."""
    host = cluster.first.host
    host.copy(upstream, "/root/upstream-kubeadm")
    run(cluster, "/root/upstream-kubeadm", "init", "phase", "bootstrap-token", "--kubeconfig", KUBECONFIG)
    assert exists(cluster, "clusterrolebinding", BLANKET)
    assert wait_until(lambda: metric(cluster, "machine_approver_blanket_rule") == "1", PATIENCE)
    report = host.run("kubeadm", "doctor", check=False).stdout
    assert "tokens-not-bound" in report and BLANKET in report, report
    token, pin = token_for(cluster, "victim")
    thief = cluster.machine("thief")
    outcome = join(thief, token, pin, SHORT)
    assert outcome.code != 0, outcome.text
    assert requests(cluster, asked_by(token))[0][1] == []
    planned = run(cluster, "kubeadm", "config", "apply", "--set", "nodeBoundTokens.enabled=true", "--dry-run")
    assert BLANKET in planned and exists(cluster, "clusterrolebinding", BLANKET)
    run(cluster, "kubeadm", "config", "apply", "--set", "nodeBoundTokens.enabled=true", "--yes")
    assert not exists(cluster, "clusterrolebinding", BLANKET)
    assert wait_until(lambda: metric(cluster, "machine_approver_blanket_rule") == "0", PATIENCE)
    assert "tokens-not-bound" not in host.run("kubeadm", "doctor", check=False).stdout
    thief.host.down()
    cluster.machines.remove(thief)


def test_an_upgrade_keeps_the_choice(cluster):
    output = run(cluster, "kubeadm", "upgrade", "apply", "--yes", "--force", "--certificate-renewal=false",
                 "--ignore-preflight-errors=all", cluster_version(cluster))
    assert "Nodes join with bound tokens only, as before" in output
    assert not exists(cluster, "clusterrolebinding", BLANKET)
    assert "kubeadm:node-bound-tokens" not in run(cluster, "kubeadm", "drift")


def cluster_version(cluster):
    config = cluster.first.host.kubectl("-n", "kube-system", "get", "configmap", "kubeadm-config", "-o",
                                        "jsonpath={.data.ClusterConfiguration}")
    return yaml.safe_load(config)["kubernetesVersion"]


def test_a_cluster_reverts_the_choice_of_tokens_and_repeats_it(cluster):
    run(cluster, "kubeadm", "config", "apply", "--set", "nodeBoundTokens.enabled=false", "--yes")
    assert exists(cluster, "clusterrolebinding", BLANKET)
    assert "nodeBoundTokens.enabled=true" in run(cluster, "kubeadm", "token", "create", "--node", "a", code=1)
    worker = cluster.join_worker("plain")
    remove(cluster, worker)
    host = cluster.first.host
    host.write("/root/extension.yaml", yaml.safe_dump({
        "apiVersion": "config.slipway/v1alpha1", "kind": "ExtensionConfiguration", "nodeBoundTokens": {"enabled": True}}))
    run(cluster, "kubeadm", "config", "apply", "--config", "/root/extension.yaml", "--yes")
    assert not exists(cluster, "clusterrolebinding", BLANKET)
    assert "Nothing changes" in run(cluster, "kubeadm", "config", "apply", "--config", "/root/extension.yaml", "--yes")
    token, pin = token_for(cluster, "bound-again")
    worker = cluster.machine("bound-again")
    outcome = join(worker, token, pin)
    assert outcome.code == 0, outcome.text
    remove(cluster, worker)


@pytest.mark.long
def test_an_approver_that_does_not_know_tokens_leaves_everything_as_it_was(cluster):
    """An approver that does not know the inventory `tokens` does not become available. The command fails, and the rule
    for all bootstrap tokens and the approver's arguments stay as they were."""
    host = cluster.first.host
    run(cluster, "kubeadm", "config", "apply", "--set", "nodeBoundTokens.enabled=false", "--yes")
    path = "/spec/template/spec/containers/0/args"
    args = json.loads(host.kubectl("-n", "kube-system", "get", "deployment", "machine-approver", "-o",
                                   "jsonpath={.spec.template.spec.containers[0].args}"))
    args[0] = "--inventory=nodes"
    host.kubectl("-n", "kube-system", "patch", "deployment", "machine-approver", "--type=json", "-p",
                 json.dumps([{"op": "replace", "path": path, "value": [*args, "--no-such-flag"]}]))
    done = host.run("timeout", "400", "kubeadm", "config", "apply", "--set", "nodeBoundTokens.enabled=true", "--yes",
                    check=False, timeout=420)
    assert done.returncode not in (0, 124), done.stdout + done.stderr
    assert "Deployment kube-system/machine-approver" in done.stdout + done.stderr
    assert exists(cluster, "clusterrolebinding", BLANKET)
    now = host.kubectl("-n", "kube-system", "get", "deployment", "machine-approver", "-o", "yaml")
    assert "--inventory=nodes\n" in now
