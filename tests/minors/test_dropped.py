# SPDX-License-Identifier: Apache-2.0
"""Tries the feature gates in src/model/releases/dropped.cc with each program that reads feature gates."""

import re
import subprocess

import pytest

from cluster.hosts import PROJECT
from components import store
from minors import steps

pytestmark = pytest.mark.ours

SOURCE = (PROJECT / "src/model/releases/dropped.cc").read_text()
PROGRAMS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet"]
MISSING = "/nonexistent"
# The programs that users configure with a file.
CONFIGURATIONS = {
    "kube-proxy": "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"
                  f"clientConnection: {{kubeconfig: {MISSING}}}\n",
    "kubelet": "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n",
}


def table(name, release):
    """Returns the text of one of the constant tables; empty if the release has none."""
    found = re.search(rf"{name}{release.split('.')[1]}\[\] = \{{(.*?)\}};", SOURCE, re.S)
    return found[1] if found else ""


def refused_gates(release):
    """Maps each gate that the release refuses to the refused value and the reason."""
    before = dict(re.findall(r'\{"(\w+)", (true|false)\}', SOURCE))  # a gate may be locked before it is removed
    gates = {name: (before.get(name, "true"), f"unrecognized feature gate: {name}")
             for name in re.findall(r'"(\w+)"', table("kGates", release))}
    for name, value in re.findall(r'\{"(\w+)", (true|false)\}', table("kLocked", release)):
        other = "false" if value == "true" else "true"
        gates[name] = other, f"cannot set feature gate {name} to {other}, feature is locked to {value}"
    return gates


def output(release, program, *arguments, environment=(), seconds=60):
    """Runs a program of a release for at most `seconds`. Returns its output and exit status (-9 if it was still
    running)."""
    path = store.release_directory(release) / "bin" / program
    started = subprocess.Popen(["env", "-i", "PATH=/usr/bin:/bin", f"HOME={MISSING}", *environment, path, *arguments],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with started:
        try:
            return started.communicate(timeout=seconds)[0], started.returncode
        except subprocess.TimeoutExpired:
            started.kill()
            return started.communicate()[0], -9


def with_gates(program, gates, directory):
    """Returns the arguments that set feature gates where users set them. The program exits even if it accepts the
    gates, because its kubeconfig does not exist, or because it has no etcd."""
    if program in CONFIGURATIONS:
        file = directory / f"{program}.yaml"
        lines = "".join(f"  {name}: {value}\n" for name, value in gates.items())
        file.write_text(f"{CONFIGURATIONS[program]}featureGates:\n{lines}")
        return [f"--config={file}", *([f"--kubeconfig={MISSING}"] if program == "kubelet" else [])]
    text = ",".join(f"{name}={value}" for name, value in gates.items())
    return [f"--feature-gates={text}", *([] if program == "kube-apiserver" else [f"--kubeconfig={MISSING}"])]


def of_gates(text):
    """Returns whether a program exited because of its feature gates."""
    return "feature gate" in text and ("unrecognized" in text or "cannot set" in text)


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_end_with_each_gate_that_is_gone_or_locked(program, release, tmp_path):
    gates = refused_gates(release)
    if release == steps.OLDEST:
        assert not gates
        return
    assert len(gates) > 20
    for name, (value, reason) in gates.items():
        text, code = output(release, program, *with_gates(program, {name: value}, tmp_path))
        assert code not in (0, -9) and reason in text, (name, code, text)


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_accept_a_locked_gate_with_its_value(program, release, tmp_path):
    locked = dict(re.findall(r'\{"(\w+)", (true|false)\}', table("kLocked", release)))
    if release == steps.OLDEST:
        assert not locked
        return
    text, code = output(release, program, *with_gates(program, locked, tmp_path))
    assert code not in (0, -9) and not of_gates(text), text


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_of_the_previous_release_accept_the_gates(program, release, tmp_path):
    if release == steps.OLDEST:
        pytest.skip(f"v{release} has no previous release")
    previous = steps.MINORS[steps.MINORS.index(release) - 1]
    gates = {name: value for name, (value, _) in refused_gates(release).items()}
    text, code = output(previous, program, *with_gates(program, gates, tmp_path))
    assert code not in (0, -9) and not of_gates(text), text
