# SPDX-License-Identifier: Apache-2.0
"""Every setting that breaks an upgrade to v1.38: a program of v1.38 exits with it, and the plan of a path names it."""

import dataclasses
import json
import re
import subprocess

import pytest
import yaml

from cluster.clusters import Cluster
from cluster.processes import wait_until
from cluster.upgrades import IGNORED, images, patch
from minors import steps
from minors.test_dropped import PROGRAMS, SOURCE, output, table

pytestmark = pytest.mark.ours

OLDEST = "1.36"  # the path starts here; its hops are v1.37 and v1.38
FIRST_GATE = re.findall(r'"(\w+)"', table("kGates", steps.V1_38))[0]
GODEBUG = [f"{name}={value}" for name, value in
           re.findall(r'\{"(\w+)", "(\w+)"\}', re.search(r"kGodebug38\[\] = \{(.*?)\};", SOURCE, re.S)[1])]
APIS = [f"{group}/{version}" for constant in ("kApis35", "kUnknown36", "kApis37") for group, version in
        re.findall(r'\{"([\w.]+)", "(\w+)"\}', re.search(rf"{constant}\[\] = \{{(.*?)\}};", SOURCE, re.S)[1])]
PLUGINS = re.findall(r'"(\w+)"', re.search(r"kPlugins37\[\] = \{(.*?)\};", SOURCE)[1])
RANGE = "kubelet:65536:4294901760\n"  # extends beyond the greatest ID
SMALLER = "kubelet:65536:4294836224\n"  # without the last 65536 IDs, the share of one Pod
RANGES = ("/etc/subuid", "/etc/subgid")
OLD_API = "/apis/resource.k8s.io/v1beta1"
PATH = ("--path", steps.version(steps.V1_38), *steps.allowing(steps.V1_38), IGNORED)


@pytest.fixture(autouse=True)
def _of_the_next(pytestconfig):
    if steps.V1_38 not in pytestconfig.getoption("releases"):
        pytest.skip(f"tests programs of v{steps.V1_38}")


# Programs alone


@pytest.mark.parametrize("program", [*PROGRAMS, "kubectl", "coredns"])
def test_programs_end_with_a_value_of_godebug_that_go_has_removed(program):
    version = ["version", "--client"] if program == "kubectl" else ["--version"]
    for setting in GODEBUG:
        name, value = setting.split("=")
        text, code = output(steps.V1_38, program, *version, environment=[f"GODEBUG={setting}"])
        assert code == 2, (setting, text)
        assert f'removed GODEBUG "{name}" set to old value "{value}" in environment' in text, text
        text, code = output(steps.V1_37, program, *version, environment=[f"GODEBUG={setting}"])
        assert code == 0 and "GODEBUG" not in text, (setting, text)


def test_etcd_of_the_next_starts_with_each_value_of_godebug():
    for setting in GODEBUG:
        text, code = output(steps.V1_38, "etcd", "--version", environment=[f"GODEBUG={setting}"])
        assert code == 0 and "etcd Version: 3.7" in text, (setting, text)


def refused_arguments():
    """Yields a program of v1.38, an argument that it refuses, and its error."""
    for api in APIS:
        yield "kube-apiserver", f"--runtime-config={api}=true", api.split("/", maxsplit=1)[0]
    for plugin in PLUGINS:
        for way in ("enable", "disable"):
            yield "kube-apiserver", f"--{way}-admission-plugins={plugin}", f'"{plugin}" is unknown'
    for name in ("discovery", "discovery-proxy", "experimental-compaction-batch-limit"):
        yield "etcd", f"--{name}=x", f"flag provided but not defined: -{name}"


@pytest.mark.parametrize("program, argument, complaint", refused_arguments())
def test_programs_end_with_an_argument_that_is_gone(program, argument, complaint, tmp_path):
    key, public = tmp_path / "sa.key", tmp_path / "sa.pub"
    subprocess.run(["openssl", "ecparam", "-genkey", "-noout", "-name", "prime256v1", "-out", key], check=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True)
    needed = {"etcd": [f"--data-dir={tmp_path}"],
              "kube-apiserver": ["--etcd-servers=http://127.0.0.1:1", "--service-account-issuer=https://x.example",
                                 f"--service-account-signing-key-file={key}", f"--cert-dir={tmp_path}",
                                 f"--service-account-key-file={public}"]}
    text, code = output(steps.V1_38, program, *needed[program], argument)
    assert code not in (0, -9) and complaint in text.replace("\\", ""), text


# The plan


@dataclasses.dataclass(frozen=True)
class Named:
    """A plan's line about one setting."""

    place: str
    why: str
    remedy: str
    breaks: bool = True
    minor: str = f"v{steps.V1_38}"

    def __str__(self):
        return re.sub(r"\W+", "-", self.place)[:60]


IN_CONFIG = 'Take it out of ConfigMap "kubeadm-config"'
ON_NODES = "Remove it on every node before its kubelet is upgraded"


def gates_of_the_way():
    """Returns each gate in the tables of both hops, with a value that is refused: name → value and the finding."""
    gates = {}
    allowed = dict(re.findall(r'\{"(\w+)", (true|false)\}', SOURCE))  # a gate may be locked before it is removed
    for minor in (steps.V1_37, steps.V1_38):
        for name in re.findall(r'"(\w+)"', table("kGates", minor)):
            value = allowed.get(name, "true")
            gates[name] = value, Named(f"apiServer.extraArgs sets feature gate {name}={value}",
                                       f"v{minor} has no such feature gate", "Remove it", minor=f"v{minor}")
        for name, value in re.findall(r'\{"(\w+)", (true|false)\}', table("kLocked", minor)):
            other = "false" if value == "true" else "true"
            gates[name] = other, Named(f"apiServer.extraArgs sets feature gate {name}={other}",
                                       f"v{minor} has it locked to {value}", "Remove it", minor=f"v{minor}")
    return gates


WAY = gates_of_the_way()
NAMED = [
    *(named for _, named in WAY.values()),
    *(Named(f"{component}.extraArgs sets feature gate {FIRST_GATE}=true", "no such feature gate", "Remove it")
      for component in ("controllerManager", "scheduler")),
    Named(f'ConfigMap "kube-proxy" sets feature gate {FIRST_GATE}=true', "no such feature gate", "Remove it"),
    Named('ConfigMap "kubelet-config" sets feature gate NodeSwap=true', "no such feature gate",
          "remove it before a kubelet is upgraded", breaks=False),
    *(Named(f"{component}.extraEnvs has GODEBUG {setting}", "do not start", IN_CONFIG)
      for component in ("apiServer", "controllerManager", "scheduler") for setting in GODEBUG),
    *(Named(f"{file} has GODEBUG {setting}", "do not start", ON_NODES, breaks=False) for file, setting in
      (("/etc/default/kubelet", "tls10server=1"), ("20-own.conf", "tlsrsakex=1"), ("kubeadm-flags.env", "tls3des=1"))),
    *(Named(f"{file} gives user kubelet 4294901760 IDs from 65536 on", "beyond the last one",
            "smaller by one Pod's share", breaks=False) for file in RANGES),
    *(Named(f'apiServer.extraArgs has {way}-admission-plugins "{plugin}"', "has no such plugin", IN_CONFIG,
            minor=f"v{steps.V1_37}") for way, plugin in zip(("enable", "disable"), PLUGINS)),
    Named('apiServer.extraArgs has runtime-config "scheduling.k8s.io/v1alpha2=true"', "has no scheduling.k8s.io/v1alpha2",
          IN_CONFIG, minor=f"v{steps.V1_37}"),
    Named('etcd.local.extraArgs has "experimental-compaction-batch-limit"', "does not know",
          'Remove it from ConfigMap "kubeadm-config"', minor=f"v{steps.V1_37}"),
    Named("a client has requested resourceclaims.resource.k8s.io/v1beta1", "no longer serves it",
          "check that all clients use a newer version", breaks=False),
]


def argument(name, value):
    return {"name": name, "value": value}


def break_configuration(stored):
    """Returns the ClusterConfiguration with every setting of NAMED. Only an upgrade would pass the settings to
    components."""
    env = [{"name": "GODEBUG", "value": ",".join(GODEBUG)}]
    gates = ",".join(f"{name}={value}" for name, (value, _) in WAY.items())
    stored["apiServer"] = {"extraEnvs": env, "extraArgs": [
        argument("feature-gates", gates),
        argument("enable-admission-plugins", PLUGINS[0]),
        argument("disable-admission-plugins", PLUGINS[1]),
        argument("runtime-config", "resource.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha2=true")]}
    for component in ("controllerManager", "scheduler"):
        stored[component] = {"extraEnvs": env, "extraArgs": [argument("feature-gates", f"{FIRST_GATE}=true")]}
    stored["etcd"]["local"]["extraArgs"] = [argument("experimental-compaction-batch-limit", "5")]


def edit(host, name, key, change):
    """Changes a YAML document in a ConfigMap."""
    config = json.loads(host.kubectl("-n", "kube-system", "get", "cm", name, "-o", "json"))
    document = yaml.safe_load(config["data"][key])
    change(document)
    config["data"][key] = yaml.safe_dump(document)
    host.write("/root/config.json", json.dumps(config))
    host.kubectl("apply", "-f", "/root/config.json")


def break_node(host):
    steps.add_kubelet_user(host)
    host.write("/etc/default/kubelet", "GODEBUG=tls10server=1\n")
    host.write("/etc/systemd/system/kubelet.service.d/20-own.conf", '[Service]\nEnvironment="GODEBUG=tlsrsakex=1"\n')
    flags = host.read("/var/lib/kubelet/kubeadm-flags.env")
    host.write("/var/lib/kubelet/kubeadm-flags.env", flags + "GODEBUG=tls3des=1\n")
    for file in RANGES:
        host.write(file, RANGE)


def single(bench, kubeadm, note, request, release):
    cluster = Cluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    machine = cluster.machine(f"minor-{release.rpartition('.')[2]}", release=release)
    serve = "apiServer:\n  extraArgs:\n  - name: runtime-config\n    value: resource.k8s.io/v1beta1=true\nnetworking:"
    machine.host.write("/root/init.yaml", machine.host.read("/root/init.yaml").replace("networking:", serve))
    cluster.init()
    cluster.wait_healthy()
    return machine


@pytest.fixture(scope="module")
def older(bench, kubeadm, note_of_module, request):
    """A control plane of v1.36."""
    return single(bench, kubeadm, note_of_module, request, OLDEST)


def findings(machine):
    outcome = machine.kubeadm("upgrade", "plan", *PATH, "--output", "json")
    assert outcome.code == 0, outcome.text
    return json.loads(outcome.stdout)["findings"]


def test_a_setting_that_only_a_patch_makes_is_named(older):
    def containers(name):
        return {"containers": [{"name": name, "env": [{"name": "GODEBUG", "value": "tlsunsafeekm=1"}]}]}

    flag = patch(older.host, "kube-scheduler", yaml.safe_dump({"spec": containers("kube-scheduler")}))
    for target, name in (("corednsdeployment", "coredns"), ("kubeproxydaemonset", "kube-proxy")):
        text = yaml.safe_dump({"spec": {"template": {"spec": containers(name)}}})
        older.host.write(f"/root/patches/{target}.yaml", text)
    refused = older.kubeadm("upgrade", "apply", *PATH, "--yes", flag)
    assert refused.code == 1 and "nothing was changed" in refused.text, refused.text
    for target in ("kube-scheduler", "corednsdeployment", "kubeproxydaemonset"):
        assert f"a patch of {target} has GODEBUG tlsunsafeekm=1" in refused.text, refused.text
    assert "Take it out of /root/patches" in refused.text, refused.text


@pytest.fixture(scope="module")
def planned(older):
    """Returns the findings of a path before and after the settings are made."""
    host = older.host
    before = findings(older)
    host.kubectl("get", "--raw", f"{OLD_API}/resourceclaims")
    edit(host, "kubeadm-config", "ClusterConfiguration", break_configuration)
    edit(host, "kubelet-config", "kubelet", lambda config: config.update(featureGates={"NodeSwap": True}))
    edit(host, "kube-proxy", "config.conf", lambda config: config.update(featureGates={FIRST_GATE: True}))
    break_node(host)
    return before, findings(older)


def test_the_plan_of_an_untouched_cluster_has_no_finding(planned):
    before, _ = planned
    assert not before


@pytest.mark.parametrize("named", NAMED, ids=str)
def test_the_plan_names_the_hazard_with_place_and_remedy(planned, named):
    _, after = planned
    fitting = [found for found in after if named.place in found["text"] and named.why in found["text"]]
    assert len(fitting) == 1, (named, after)
    assert named.remedy in fitting[0]["text"], fitting
    assert (fitting[0]["breaks"], fitting[0]["minor"]) == (named.breaks, named.minor), fitting


def test_the_plan_names_no_other_hazard(planned):
    _, after = planned
    others = [found for found in after if not any(named.place in found["text"] for named in NAMED)]
    assert not others


def test_the_path_is_refused_before_its_first_hop(older, planned):
    del planned
    refused = older.kubeadm("upgrade", "apply", *PATH, "--yes")
    assert refused.code == 1 and "nothing was changed" in refused.text, refused.text
    assert images(older.host)[f"kube-apiserver-{older.host.name}"] == steps.version(OLDEST)


# Programs on a host


@pytest.fixture(scope="module")
def newer(bench, kubeadm, note_of_module, request):
    """A control plane of v1.38."""
    return single(bench, kubeadm, note_of_module, request, steps.V1_38)


def test_the_api_server_does_not_serve_the_old_api(older, newer):
    served = json.loads(older.host.kubectl("get", "--raw", OLD_API))
    assert "resourceclaims" in [resource["name"] for resource in served["resources"]]
    gone = newer.host.run("kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", "get", "--raw", OLD_API, check=False)
    assert gone.returncode == 1 and "NotFound" in gone.stderr, gone.stderr


def restart_kubelet(host, text):
    """Restarts the kubelet with a range of IDs; returns its log since then."""
    for file in RANGES:
        host.write(file, text)
    log = host.logs / "kubelet.log"
    begin = log.stat().st_size
    host.service("kubelet", "restart")
    return lambda: log.read_text()[begin:]


def is_healthy(host):
    return host.run("curl", "-s", "http://127.0.0.1:10248/healthz", check=False).stdout == "ok"


def test_the_kubelet_ends_with_a_range_of_ids_beyond_the_last(older, newer):
    for machine in (older, newer):
        steps.add_kubelet_user(machine.host)
    restart_kubelet(older.host, RANGE)
    assert wait_until(lambda: is_healthy(older.host), 60), "the kubelet of v1.36 takes it"
    log = restart_kubelet(newer.host, RANGE)
    assert wait_until(lambda: "ends past the last mappable ID 4294967294" in log(), 60), log()
    assert not is_healthy(newer.host)
    restart_kubelet(newer.host, SMALLER)
    assert wait_until(lambda: is_healthy(newer.host), 60), "the remedy"
