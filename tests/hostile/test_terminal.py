# SPDX-License-Identifier: Apache-2.0
"""Untrusted strings, in objects of the API server and in files of the node, must neither control a terminal nor forge a
line. This applies to output to a file, a pipe or a terminal. Structured output is exact in a pipe."""

import base64
import json
import re
import subprocess

import pytest
import yaml

from answers import TOKEN
from cluster import HOSTILE, KEPT, VERSION, Cluster, objects, paths, poisoned
from programs import run
from test_node import ADDRESS, configuration, laid, network, whole  # noqa: F401: fixtures
from test_server import CONFIG
from world import Authority, Server, kubeconfig

SECONDS = 12
# The terminal sequences of our own programs: colours (foundation/cli/colors.cc; spdlog's for the heads of log lines),
# and a cleared line.
OWN_CODES = re.compile(r"\x1b\[(1;31|32|1;33|36|1|0|33|31|)m|\r\x1b\[K")
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]")
FORGED = re.compile(r"^FORGED", re.M)

COMMANDS = {
    "token list": ["token", "list"],
    "token create": ["token", "create", "--print-join-command"],
    "certs check-expiration": ["certs", "check-expiration"],
    "certs renew": ["certs", "renew", "apiserver"],
    "certs rotate-ca": ["certs", "rotate-ca", "kubernetes", "--dry-run"],
    "config apply": ["config", "apply", "--config", "{init}", "--dry-run"],
    "config apply --set": ["config", "apply", "--set", "clusterName=other", "--dry-run"],
    "config apply node": ["config", "apply", "node", "--dry-run"],
    "config diff": ["config", "diff", "{init}"],
    "doctor": ["doctor"],
    "drift": ["drift", "--all-nodes"],
    "drift --adopt": ["drift", "--adopt"],
    "endpoint set": ["endpoint", "set", f"{ADDRESS}:{{port}}", "--dry-run"],
    "endpoint finish": ["endpoint", "finish", "--dry-run"],
    "node readdress": ["node", "readdress", "--from", ADDRESS, "--to", "10.66.0.9", "--dry-run"],
    "node recover": ["node", "recover", "--dry-run"],
    "node rename": ["node", "rename", "--to", "another", "--dry-run"],
    "reset": ["reset", "--force", "--dry-run"],
    "upgrade diff": ["upgrade", "diff", VERSION, "-c", "9"],
    "upgrade plan": ["upgrade", "plan", VERSION, "--ignore-preflight-errors=all"],
    "upgrade plan --path": ["upgrade", "plan", "--path", "v1.37.0", "--ignore-preflight-errors=all"],
    "upgrade apply": ["upgrade", "apply", VERSION, "--dry-run", "--yes", "--ignore-preflight-errors=all"],
    "upgrade node": ["upgrade", "node", "--dry-run", "--ignore-preflight-errors=all"],
    "upload-config": ["init", "phase", "upload-config", "all", "--config", "{init}", "--dry-run"],
}
# Each part selects strings of all objects, by object and path. A test poisons the strings of one part.
PARTS = {
    "annotations": lambda each, path: path.startswith("metadata.annotations."),
    "labels": lambda each, path: path.startswith("metadata.labels."),
    "names": lambda each, path: path == "metadata.name",
    "spec": lambda each, path: path.startswith("spec."),
    "status": lambda each, path: path.startswith("status."),
    "data": lambda each, path: path.startswith("data."),
    "everything": lambda each, path: True,
}
ENDS = ["pipe", "terminal"]


def check(outcome):
    text = OWN_CODES.sub("", outcome.stdout + outcome.stderr)
    assert outcome.code >= -9 and (text.strip() or outcome.code in (0, -9)), outcome  # -9: it timed out
    steering = STEERING.search(text)
    assert not steering, f"{steering[0]!r} in {text[max(0, steering.start() - 300):steering.end() + 60]!r}"
    forged = FORGED.search(text)
    assert not forged, text[max(0, forged.start() - 300):forged.end()]


class Node:
    """A complete node, whose API server can serve a cluster with other strings."""

    def __init__(self, kubeadm, whole, directory):  # noqa: F811
        self.kubeadm, self.directory, self.cluster = kubeadm, directory, None
        self.ca = Authority.of(whole["/etc/kubernetes/pki/ca.crt"], whole["/etc/kubernetes/pki/ca.key"])
        self.server = Server(lambda request: self.cluster.behave(request), self.ca.server(directory, ADDRESS), host=ADDRESS,
                             port=6443)
        self.healthy = Cluster(objects(ADDRESS, self.server.port, self.ca.pem()))
        self.places = laid(whole, self.server, self.ca.pem(), directory)
        (directory / "init").write_text(configuration(self.server.port))

    def run(self, words, cluster=None, end="pipe", files=None):
        self.cluster = cluster or self.healthy
        words = [word.format(init=self.directory / "init", port=self.server.port) for word in words]
        return run([self.kubeadm, *words], limit=SECONDS, laid={**self.places, **(files or {})},
                   terminal=end == "terminal")


@pytest.fixture(scope="module")
def node(kubeadm, whole, tmp_path_factory):  # noqa: F811
    made = Node(kubeadm, whole, tmp_path_factory.mktemp("node"))
    with made.server:
        yield made


def test_the_healthy_cluster_is_understood(node):
    """The commands must understand the healthy cluster. Otherwise they would end before they print anything, and the
    other tests would be useless."""
    for name in ("token list", "config diff", "drift", "upgrade plan", "endpoint finish", "node readdress"):
        outcome = node.run(COMMANDS[name])
        if name == "node readdress":  # prints its plan, then that this host lacks the new address
            assert "Steps:" in outcome.stdout and "does not have the address" in outcome.stderr, outcome
        else:
            assert outcome.code in (0, 2) or name == "endpoint finish", f"{name}: {outcome}"


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", COMMANDS)
def test_commands(node, name, part, end):
    check(node.run(COMMANDS[name], node.healthy.changed(PARTS[part]), end))


def commands_below(kubeadm, words):
    """Returns all commands below a command, as completion offers them; or the command itself if it has none. Completion
    offers fields to `explain`."""
    if words[-1] == "explain":
        return [words]
    said = subprocess.run([kubeadm, "__completeNoDesc", *words, ""], capture_output=True, text=True, check=True).stdout
    names = [line for line in said.splitlines() if re.fullmatch(r"[a-z][a-z.-]*", line)]
    return [found for name in names for found in commands_below(kubeadm, [*words, name])] or [words]


@pytest.mark.parametrize("group", ["alpha", "certs", "completion", "config", "doctor", "drift", "endpoint", "events",
                                   "init", "join", "kubeconfig", "node", "reset", "token", "upgrade", "version"])
def test_every_command(node, group):
    """Every command runs without arguments, as far as it can, and must print no hostile string unescaped."""
    everything = node.healthy.changed(PARTS["everything"])
    for words in commands_below(node.kubeadm, [group]):
        said = subprocess.run([node.kubeadm, *words, "--help"], capture_output=True, text=True, check=True).stdout
        flags = [flag for flag in ("--dry-run", "--ignore-preflight-errors=all", "--lock-timeout=1s")
                 if f"{flag.partition('=')[0]} " in said + " "]
        for end in ENDS:
            check(node.run([*words, *flags], everything, end))


def leaves():
    """Returns (object's name, path) for each string in the ConfigMaps with settings, in a Node and in a Pod."""
    named = ("kubeadm-config", "kubelet-config", "kube-proxy", "kubeadm-endpoint", "cp-one", "kube-apiserver-cp-one")
    return [(each["metadata"]["name"], path) for each in objects(ADDRESS, 6443, "")
            if each["metadata"]["name"] in named and each["kind"] in ("ConfigMap", "Node", "Pod")
            for path in paths(each) if not KEPT.match(path)]


# The commands that print most about single fields.
TELL_FIELDS = ["config apply node", "config diff", "drift", "endpoint set", "node readdress", "upgrade plan"]


@pytest.mark.parametrize("path", leaves(), ids=lambda pair: ":".join(pair))
def test_single_strings(node, path):
    chosen = node.healthy.changed(lambda each, where: (each["metadata"]["name"], where) == path)
    for name in TELL_FIELDS:
        check(node.run(COMMANDS[name], chosen))


def poisoned_file(place, text):
    """Returns a file of the node in which all strings are hostile, as far as the file stays readable."""
    if place.endswith(".yaml"):
        return yaml.safe_dump(poisoned(yaml.safe_load(text), lambda path: "command" in path or "annotations" in path))
    if place.endswith(".conf"):
        return json.dumps(poisoned(yaml.safe_load(text), lambda path: "data" not in path and "server" not in path))
    return None


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", COMMANDS)
def test_files_of_the_node(node, tmp_path, name, end):
    files = {}
    for place, file in node.places.items():
        text = poisoned_file(place, file.read_text())
        if text is not None:
            files[place] = tmp_path / place.replace("/", "_")
            files[place].write_text(text)
    change = {"state": "applying", "cluster": HOSTILE, "kubeletConfiguration": None, "kubeProxyConfiguration": None,
              "node": {"name": HOSTILE}, "stored": True, "directory": "/etc/" + HOSTILE, "certificates": [HOSTILE],
              "kubelet": True, "coreDns": False, "kubeProxy": False, "until": 0}
    extra = {"/var/lib/slipway/config-change.json": change, "/var/lib/slipway/upgrade.json": change,
             "/var/lib/slipway/readdress.json": change, "/var/lib/slipway/rename.json": change}
    for place, value in extra.items():
        files[place] = tmp_path / place.replace("/", "_")
        files[place].write_text(json.dumps(value))
    check(node.run(COMMANDS[name], end=end, files=files))


@pytest.mark.parametrize("words", [["config", "keep"], ["config", "undo", "--yes"], ["config", "confirm"]])
@pytest.mark.parametrize("state", ["applying", "trying", "undoing"])
def test_journals_of_a_change(node, tmp_path, words, state):
    (tmp_path / "change").write_text(json.dumps(
        {"state": state, "cluster": "a: " + HOSTILE, "kubeletConfiguration": None, "kubeProxyConfiguration": None,
         "node": {"name": HOSTILE}, "stored": True, "directory": "/etc/" + HOSTILE, "certificates": [HOSTILE],
         "kubelet": True, "coreDns": False, "kubeProxy": False, "until": 1}))
    outcome = node.run(words, files={"/var/lib/slipway/config-change.json": tmp_path / "change"})
    check(outcome)


CONFIGS = {
    "validate": ["config", "validate", "--config"],
    "migrate": ["config", "migrate", "--new-config", "/tmp/x", "--old-config"],
    "images": ["config", "images", "list", "--config"],
    "init": ["init", "phase", "certs", "all", "--dry-run", "--config"],
    "manifests": ["init", "phase", "control-plane", "all", "--dry-run", "--config"],
    "join": ["join", "--dry-run", "--ignore-preflight-errors=all", "--config"],
    "events": ["events", "render", "-o", "/tmp/x.svg"],
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("kind", ["values", "keys", "text"])
@pytest.mark.parametrize("name", CONFIGS)
def test_configuration_files(node, tmp_path, name, kind, end):
    documents = list(yaml.safe_load_all(configuration(6443)))
    documents[0]["bootstrapTokens"] = [{"token": TOKEN, "description": "x"}]
    documents[1] |= {"clusterName": "x", "imageRepository": "registry.test", "apiServer": {"certSANs": ["x"]}}
    if kind == "values":
        documents = [poisoned(each, lambda path: True) for each in documents]
    elif kind == "keys":
        documents[1]["apiServer"]["a" + HOSTILE] = "x"
    text = "---\n".join(yaml.safe_dump(each) for each in documents)
    (tmp_path / "config").write_text(text + (HOSTILE if kind == "text" else ""))
    check(node.run([*CONFIGS[name], str(tmp_path / "config")], end=end))


@pytest.mark.parametrize("end", ENDS)
def test_words_of_the_command_line(node, end):
    """Commands get hostile arguments, as from a script that passes on untrusted input. They must escape them in their
    messages."""
    for words in (["token", "delete", HOSTILE], [HOSTILE], ["--" + HOSTILE], ["help", HOSTILE], ["config", "diff", HOSTILE],
                  ["config", "images", "list", "--kubernetes-version", VERSION, "--image-repository", HOSTILE],
                  ["version", "-o", HOSTILE], ["init", "--skip-phases", HOSTILE, "--dry-run"], ["--v=9", HOSTILE]):
        check(node.run(words, end=end))


@pytest.mark.parametrize("words, part", [(["config", "diff", "{init}", "-o", "json"], "data"),
                                         (["token", "list", "-o", "json"], "data"),
                                         (["drift", "-o", "json"], "data"),
                                         (["doctor", "-o", "json"], "status")])
def test_structured_output(node, words, part):
    """A program that reads a pipe gets the cluster's data unchanged. On a terminal the output must still be valid
    JSON."""
    cluster = node.healthy.changed(
        lambda each, path: PARTS[part](each, path) and path.endswith(("clusterName", "description", "message", "reason")))
    for each in cluster.objects:  # the data of a Secret are in base64
        if each["kind"] == "Secret" and "description" in each.get("data", {}):
            each["data"]["description"] = base64.b64encode(HOSTILE.encode()).decode()
    exact = node.run(words, cluster)
    shown = node.run(words, cluster, "terminal")
    check(shown)
    found = [json.JSONDecoder().raw_decode(text[text.index("{\n"):])[0] for text in (exact.stdout, shown.stdout)]
    if part == "data" and "drift" not in words:
        assert HOSTILE in strings(found[0]), exact
        assert "\u202e" in exact.stdout and "\\u202e" in shown.stdout, exact
    assert [name for name in found[0]] == [name for name in found[1]]


def strings(value):
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return value if isinstance(value, str) else "".join(strings(member) for member in members)


def test_structured_configuration(node, tmp_path):
    """A configuration is migrated in a pipe. A YAML reader of the output must get the same string."""
    (tmp_path / "old").write_text(CONFIG % "ResetConfiguration" + "certificatesDir: \"/a\u00a0b\"\n")
    exact = node.run(["config", "migrate", "--old-config", str(tmp_path / "old")])
    assert yaml.safe_load(exact.stdout)["certificatesDir"] == "/a\u00a0b", exact


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("command", ["explain", "explain json", "judge", "controller"])
def test_the_approver(approver, node, tmp_path, command, part, end):
    node.cluster = node.healthy.changed(PARTS[part])
    (tmp_path / "config").write_text(kubeconfig(node.server.url, node.ca.pem()))
    (tmp_path / "input").write_text(json.dumps({"csr": node.cluster.objects[-2], "nodes": node.cluster.objects[:2]}))
    clusters = ["--workload-cluster-kubeconfig", tmp_path / "config", "--inventory=nodes"]
    words = {"explain": ["explain", "csr-1", *clusters], "explain json": ["explain", "csr-1", "-o", "json", *clusters],
             "judge": ["judge", "--input", tmp_path / "input"],
             "controller": [*clusters, "--config", tmp_path / ("x" + HOSTILE.replace("/", ""))]}[command]
    outcome = run([approver, *words], limit=SECONDS, terminal=end == "terminal")
    if end == "pipe" and command in ("explain json", "judge") and outcome.stdout:
        json.loads(outcome.stdout.splitlines()[0])
        outcome.stdout = ""
        outcome.stderr += "."
    check(outcome)
