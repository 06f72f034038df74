# SPDX-License-Identifier: Apache-2.0
"""Generates random command lines.

`CommandLines(seed, flags_of).next()` returns the arguments of one command line. DIRECTORY in them is a placeholder for
the run's directory.
"""

import random

from . import values

RENEWABLE = ["all", "apiserver", "apiserver-kubelet-client", "apiserver-etcd-client", "front-proxy-client",
             "etcd-server", "etcd-peer", "etcd-healthcheck-client", "admin.conf", "super-admin.conf",
             "controller-manager.conf", "scheduler.conf"]
CERTIFICATES = ["all", "ca", "apiserver", "apiserver-kubelet-client", "front-proxy-ca", "front-proxy-client",
                "etcd-ca", "etcd-server", "etcd-peer", "etcd-healthcheck-client", "apiserver-etcd-client", "sa"]
KUBECONFIGS = ["all", "admin", "super-admin", "kubelet", "controller-manager", "scheduler"]

# Commands that change only files, and do not connect to other machines.
COMMANDS = [
    *([["version"]] * 2), ["completion"], *([["config", "images", "list"]] * 3),
    *(["config", "print", what] for what in ("init-defaults", "join-defaults", "reset-defaults", "upgrade-defaults")),
    *([["config", "validate"], ["config", "migrate"]] * 2),
    ["certs", "certificate-key"], *([["certs", "check-expiration"], ["certs", "generate-csr"]] * 3),
    *(["certs", "renew", what] for what in RENEWABLE),
    *(["init", "phase", "certs", what] for what in CERTIFICATES),
    *(["init", "phase", "kubeconfig", what] for what in KUBECONFIGS),
    *(["init", "phase", "control-plane", what]
      for what in ("all", "apiserver", "controller-manager", "scheduler")),
    ["init", "phase", "etcd", "local"],
    *([["init", "--dry-run", "--ignore-preflight-errors=all"]] * 3), ["reset", "--dry-run", "--force"],
    *([["kubeconfig", "user"]] * 4), *([["token", "create", "--dry-run"]] * 4), ["token", "generate"],
]

# Likely values of flags by name. Other flags get random values.
LIKELY = {
    "cert-dir": ["DIRECTORY/kubernetes/pki"] * 4 + ["/etc/kubernetes/pki/", "DIRECTORY/empty",
                                                     "DIRECTORY/kubeadm.yaml", "pki", ""],
    "config": ["DIRECTORY/kubeadm.yaml"] * 4 + ["DIRECTORY/none.yaml", "DIRECTORY", "kubeadm.yaml", ""],
    "old-config": ["DIRECTORY/kubeadm.yaml"] * 4 + ["DIRECTORY/none.yaml", "DIRECTORY", "", "kubeadm.yaml"],
    "new-config": ["DIRECTORY/new.yaml", "DIRECTORY/none/new.yaml", "DIRECTORY", ""],
    "kubeconfig": ["/etc/kubernetes/admin.conf", "DIRECTORY/none.conf", ""],
    "kubeconfig-dir": ["DIRECTORY/conf", "DIRECTORY", "DIRECTORY/kubeadm.yaml", "empty", ""],
    "output": ["text", "json", "yaml", "kyaml", "short", "name", "wide", "jsonpath={.images}", "JSON", "",
               "go-template", "go-template={{.kind}}", "go-template={{.nope}}", "go-template={{",
               "jsonpath={.nope}", "jsonpath={"],
    "kubernetes-version": ["v1.37.2", "1.37.0", *values.VERSIONS],
    "apiserver-advertise-address": values.ADDRESSES,
    "control-plane-endpoint": values.ADDRESSES + values.URLS,
    "service-cidr": values.ADDRESSES,
    "pod-network-cidr": values.ADDRESSES,
    "client-name": ["user", "system:node:n1", "ü", "a b", "", "x" * 64, "x" * 65],
    "org": ["team", "a,b", '"a,b"', 'a,"b', "", ",", 'x""y', "system:masters", " a", '"a" '],
    "component-configs": ["KubeletConfiguration", "KubeProxyConfiguration",
                          "KubeletConfiguration,KubeProxyConfiguration", "Nope", "",
                          "kubeletconfiguration", '"KubeletConfiguration"'],
    "feature-gates": ["PublicKeysECDSA=true", "PublicKeysECDSA=1", "PublicKeysECDSA", "Nope=true", "", "a=b",
                      "NodeLocalCRISocket=true,ControlPlaneKubeletLocalMode=true", " PublicKeysECDSA = true ", "=true"],
    "usages": ["signing", "signing,authentication", '"signing","authentication"', "x", "", "signing,signing"],
    "groups": ["system:bootstrappers:a", "system:bootstrappers:A", "system:bootstrappers:-", "system:nodes", "",
               "system:bootstrappers:a,system:bootstrappers:b"],
    "apiserver-cert-extra-sans": ["a.b", "1.2.3.4", "a.b,::1", "*.a.b", "*", "a_b", "", '"a.b,c"', "A.B"],
    "service-dns-domain": ["cluster.local", "a.b", "A", "", "a_b", "a" * 64],
    "node-name": ["n1", "N1", "n_1", "", "a" * 64, "a.b"],
    "image-repository": ["registry.k8s.io", "localhost:5000/x", "", "A/B", "x y", "https://x"],
}
# Most commands fail without one of these flags, so they are chosen more often.
USUAL = ("cert-dir", "config", "old-config", "client-name", "kubeconfig-dir")
BY_TYPE = {
    "duration": [*values.DURATIONS, "", ".5h", "1h-1m", "+1h", "1us", "1µs", "1h 1m", "24H", "1e3s",
                 "8760h", "87600h"],
    "strings": ["a", "a,b", '"a,b"', 'a,"b', "", ",", 'x""y', '"x""y"', "a\nb", " a", '"a" ', '""', "a,", '"'],
    "bool": ["true", "false", "T", "F", "1", "0", "yes", "", "TRUE", "True", "tRue", "t", "2"],
    "Level": ["0", "5", "-1", "x", "", "0x10", "010", "1_0", "08", "+3", "2147483648", "9223372036854775808", "1.5"],
    "moduleSpec": ["", "a=1", "a", "a=x", "a=1,b=2", "=", "a=-1", "*=1"],
}
ANYTHING = [str(value) for value in [*values.ADDRESSES, *values.VERSIONS, *values.DURATIONS, *values.NUMBERS,
                                     *values.TEXTS]]


class CommandLines:
    """Generates command lines. `flags_of(words)` returns the flags of a command: {name: (letter or "", type)}."""

    def __init__(self, seed: int, flags_of):
        self._random = random.Random(seed)
        self._flags_of = flags_of

    def next(self) -> list[str]:
        words = self._random.choice(COMMANDS)
        command = [word for word in words if not word.startswith("-")]
        flags = {name: flag for name, flag in self._flags_of(tuple(command)).items()
                 if f"--{name}" not in words and name != "rootfs"}
        given = [[word] for word in words[len(command):]]
        given += [self._given(name, *flag) for name, flag in flags.items() if name in USUAL and self._one_of(2)]
        for name in self._random.sample(sorted(flags), min(len(flags), self._random.choice([0, 1, 1, 2, 3]))):
            given.append(self._given(name, *flags[name]))
        if self._one_of(6):
            given.append([self._random.choice(["a", "", "bash", "zsh", "DIRECTORY", "abcdef", "all", "-", "--"])])
        if self._one_of(12):
            given.append([self._random.choice(["--nope", "--nope=1", "-x", "-fv", "---v", "--=", "--config", "-v", "-h",
                                               "--help=false", "--help=x", "--v", "-vv", "-v=3", "-v3", "-v 3"])])
        self._random.shuffle(given)
        if self._one_of(25):
            command[-1] = self._random.choice([command[-1].upper(), command[-1] + "s", command[-1][:-1], ""])
        before = given.pop() if given and self._one_of(10) else []
        return [*before, *command, *(word for flag in given for word in flag)]

    def _one_of(self, count):
        return self._random.randrange(count) == 0

    def _value(self, name, kind):
        if self._one_of(10):
            return self._random.choice(ANYTHING)
        return self._random.choice(LIKELY.get(name) or BY_TYPE.get(kind) or ANYTHING)

    def _given(self, name, letter, kind):
        """Returns the flag and its value as one or two arguments."""
        name = self._random.choice([name] * 40 + [name.upper(), name.replace("-", "_"), name[:-1]])
        value = self._value(name, kind)
        if kind == "bool":
            return [f"--{name}"] if self._one_of(2) else [f"--{name}={value}"]
        forms = [[f"--{name}={value}"], [f"--{name}={value}"], [f"--{name}", value]]
        if letter:
            forms += [[f"-{letter}", value], [f"-{letter}{value}"], [f"-{letter}={value}"]]
        return self._random.choice(forms)
