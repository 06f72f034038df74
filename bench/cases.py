# SPDX-License-Identifier: Apache-2.0
"""The benchmark's cases, one row each. Every command runs inside a host of tests/cluster."""

import dataclasses

CERTIFICATES = """apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
nodeRegistration: {{name: node, criSocket: "unix:///run/containerd/containerd.sock"}}
localAPIEndpoint: {{advertiseAddress: 192.0.2.10}}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.37.2
certificatesDir: /tmp/bench/pki
encryptionAlgorithm: {algorithm}
"""


@dataclasses.dataclass(frozen=True)
class Quantity:
    """A measured quantity. `target` is the greatest allowed ratio of our value to upstream's; None for no limit."""

    name: str
    unit: str
    target: float | None = None


@dataclasses.dataclass(frozen=True)
class Case:
    """A command to measure. `files` are written into the host first; /tmp/bench is empty before every run."""

    name: str
    title: str
    command: tuple  # arguments after the binary's name
    time: Quantity
    memory: Quantity | None = Quantity("peak memory", "MiB")
    files: dict = dataclasses.field(default_factory=dict)
    environment: tuple = ()
    fresh_host: bool = False  # True: each run uses a new host, and there are fewer runs
    # The name of a scenario in joins.py, changes.py or floor.py. A scenario brings up its hosts itself.
    scenario: str = ""
    # Multiplies the number of runs, because the times of short commands vary more.
    repeat: int = 1


def _certificates(name, algorithm, target):
    return Case(
        name,
        f"`init phase certs all`, {algorithm}",
        ("init", "phase", "certs", "all", "--config", "/root/bench.yaml"),
        Quantity("time", "s", target),
        files={"/root/bench.yaml": CERTIFICATES.format(algorithm=algorithm)},
    )


CASES = [
    Case(
        "start",
        "start-up: `version -o short`",
        ("version", "-o", "short"),
        Quantity("time", "s", 0.10),
        Quantity("peak memory", "MiB", 0.20),
        repeat=3,
    ),
    _certificates("rsa", "RSA-2048", 0.55),
    _certificates("ecdsa", "ECDSA-P256", 0.45),
    Case(
        "dry-run",
        "`init --dry-run`",
        ("init", "--dry-run", "--config", "/root/init.yaml"),
        Quantity("time", "s", 0.5),
        environment=("KUBEADM_INIT_DRYRUN_DIR=/tmp/bench",),
    ),
    Case(
        "init",
        "`init` on a fresh host, images present",
        ("init", "--config", "/root/init.yaml"),
        Quantity("time", "s", 0.60),
        Quantity("peak memory", "MiB", 0.25),
        fresh_host=True,
    ),
    Case(
        "floor",
        "the kubelet alone, started without kubeadm",
        ("init",),
        Quantity("time", "s"),
        memory=None,
        scenario="floor",
    ),
    Case(
        "join",
        "`join` of a worker, settled cluster",
        ("join",),
        Quantity("time", "s", 0.70),
        Quantity("peak memory", "MiB", 0.25),
        scenario="settled",
    ),
    Case(
        "join-after-init",
        "`join` of a worker right after `init`",
        ("join",),
        Quantity("time", "s", 0.33),
        Quantity("peak memory", "MiB", 0.25),
        scenario="after_init",
    ),
    Case(
        "join-control-plane",
        "`join` of a control plane, stacked etcd",
        ("join",),
        Quantity("time", "s", 0.42),
        Quantity("peak memory", "MiB", 0.25),
        scenario="control_plane",
    ),
    Case(
        "upgrade",
        "`upgrade apply`, 1.36 to 1.37",
        ("upgrade",),
        Quantity("time", "s", 0.12),
        Quantity("peak memory", "MiB", 0.25),
        scenario="upgrade",
    ),
    Case(
        "upgrade-again",
        "`upgrade apply`, the same version again",
        ("upgrade",),
        Quantity("time", "s", 0.35),
        Quantity("peak memory", "MiB", 0.25),
        scenario="upgrade_again",
    ),
    Case(
        "upgrade-node",
        "`upgrade node` where nothing changes, stacked etcd",
        ("upgrade",),
        Quantity("time", "s", 0.2),
        scenario="upgrade_node",
    ),
    Case(
        "reset",
        "`reset` of a control plane with external etcd",
        ("reset",),
        Quantity("time", "s", 0.1),
        scenario="reset",
    ),
]
