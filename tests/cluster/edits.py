# SPDX-License-Identifier: Apache-2.0
"""Manual edits on a node, and the output of `kubeadm drift`."""

import json

import yaml

MANIFESTS = "/etc/kubernetes/manifests"
KUBELET = "/var/lib/kubelet/config.yaml"
EDITED = 2


def drift(host, *flags):
    """Returns the object that `kubeadm drift` prints, and the exit status."""
    result = host.run("kubeadm", "drift", "-o", "json", *flags, check=False)
    assert result.stdout, result.stderr
    return json.loads(result.stdout), result.returncode


def found(said, *fates):
    """Returns the manual changes in drift's output as pairs such as ("kube-apiserver", "--v"). `fates` limits them to
    changes with these values of nextUpgrade."""
    return {
        (each["component"], each["field"])
        for each in said["differences"]
        if each["edit"] and (not fates or each["nextUpgrade"] in fates)
    }


def edit(host, path, change):
    """Changes a YAML file; returns the previous content."""
    before = host.read(path)
    value = yaml.safe_load(before)
    change(value)
    host.write(path, yaml.safe_dump(value))
    return before


def manifest(component):
    return f"{MANIFESTS}/{component}.yaml"


def container(pod):
    return pod["spec"]["containers"][0]


def runs_with(host, argument):
    """Returns True if a process of the host has the argument. The brackets keep grep from finding its own argument."""
    words = f"cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -cx -- '[-]{argument[1:]}'"
    return int(host.run("sh", "-c", words, check=False).stdout or 0) > 0


def answers(host):
    ready = host.run(
        "kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", "get", "--raw=/readyz", check=False
    )
    return ready.returncode == 0
