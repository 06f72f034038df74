# SPDX-License-Identifier: Apache-2.0
"""Tables and helpers for tests of minor versions other than the newest published one."""

import dataclasses
import itertools

from components import recipes, store

MINORS = sorted(recipes.ALL_RELEASES)
OLDEST = min(recipes.RELEASES)
# The last two rows of the table. The last may be a pre-release; the row before it is then the newest release.
NEWEST, NEXT = MINORS[-2:]
# Tests of changes in v1.38 use its name instead of NEXT, because another minor version will follow.
V1_37, V1_38 = "1.37", "1.38"
# `./dev test` creates clusters of the default release, and upgrades clusters of the previous one.
OLDER = sorted(set(recipes.RELEASES) - {recipes.DEFAULT_RELEASE})
PACKAGES = "/srv/kubelets"
KEYS = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"]  # key algorithms of clusters since v1.38


def version(release):
    return recipes.ALL_RELEASES[release].version


def allowing(release):
    """Returns the flags with which `upgrade` accepts the version as its target."""
    return ("--allow-experimental-upgrades",) if "-" in version(release) else ()


def between(selected):
    """Returns the upgrades from or to a selected release: pairs of a release and the next one."""
    return [pair for pair in itertools.pairwise(MINORS) if set(pair) & set(selected)]


@dataclasses.dataclass(frozen=True)
class Way:
    """An upgrade by one command over several minor versions."""

    start: str
    target: str
    selected_by: str  # the value of --releases with which it is tested
    points: tuple  # pairs of a hop and the phase in which the single control plane's run is killed
    killed_in: dict  # the hop → the phase in which the first of three control planes' run is killed
    breaking: tuple  # text of ConfigMap kubeadm-config, its replacement, and what the finding names

    @property
    def hops(self):
        return [minor for minor in MINORS if self.start < minor <= self.target]

    @property
    def version(self):
        return version(self.target)

    @property
    def plan(self):
        return ("upgrade", "plan", "--path", self.version, *allowing(self.target))

    def __hash__(self):
        return hash((self.start, self.target))


# ConfigMap kubeadm-config with a feature gate that the next minor version lacks.
OLD_GATE = (
    "apiServer: {}",
    "apiServer:\n      extraArgs:\n      - name: feature-gates\n        value: ServiceAccountTokenJTI=true",
    "ServiceAccountTokenJTI",
)

# ConfigMap kubeadm-config with an argument that etcd 3.6 lacks.
OLD_ETCD_ARGUMENT = (
    "etcd:\n      local:",
    "etcd:\n      local:\n        extraArgs:\n        - name: experimental-x\n          value: '1'",
    "experimental-x",
)

# The first of the `points` is in the phase control-plane of the first hop. The last one is in the phase kubelet of the
# last hop, and another one in preflight of a later hop. With three control planes, the second one is killed at each
# hop, too.
WAYS = [
    Way(
        OLDEST,
        NEWEST,
        selected_by=OLDEST,
        points=(("1.35", "control-plane"), ("1.36", "preflight"), (NEWEST, "kubelet")),
        killed_in={"1.35": "control-plane", "1.36": "kubelet", NEWEST: "upload-config/kubeadm"},
        breaking=OLD_ETCD_ARGUMENT,
    ),
    Way(
        OLDEST,
        NEXT,
        selected_by=NEXT,
        points=(("1.35", "control-plane"), (NEWEST, "preflight"), (NEXT, "kubelet")),
        killed_in={"1.35": "kubelet", "1.36": "control-plane", NEWEST: "upload-config/kubeadm", NEXT: "kubelet"},
        breaking=OLD_ETCD_ARGUMENT,
    ),
    Way(
        "1.35",
        NEXT,
        selected_by=NEXT,
        points=(("1.36", "control-plane"), (NEWEST, "preflight"), (NEXT, "kubelet")),
        killed_in={"1.36": "upload-config/kubeadm", NEWEST: "control-plane", NEXT: "kubelet"},
        breaking=OLD_GATE,
    ),
    Way(
        MINORS[-3],
        NEXT,
        selected_by=NEXT,
        points=((NEWEST, "control-plane"), (NEXT, "preflight"), (NEXT, "kubelet")),
        killed_in={NEWEST: "kubelet", NEXT: "control-plane"},
        breaking=OLD_GATE,
    ),
    Way(
        NEWEST,
        NEXT,
        selected_by=NEXT,
        points=((NEXT, "control-plane"), (NEXT, "kubelet")),
        killed_in={NEXT: "control-plane"},
        breaking=OLD_GATE,
    ),
]


def name_of(value):
    """Returns the text of a test's parameter for its name: "1.36", "1.36-1.37"."""
    if isinstance(value, Way):
        return f"{value.start}-{value.target}"
    return "-".join(value) if isinstance(value, tuple) else value


def make(cluster, names, release, workers=(), also=()):
    """Creates a cluster of these machines. Each machine has the components of `release`."""
    cluster.create(names, workers, release=release, also=tuple(also))


def lay_kubelets(host, old, releases):
    """Installs the kubelet of `old` in the host itself, and the kubelets of `releases` in a directory for
    --node-packages."""
    host.copy(store.release_directory(old) / "bin" / "kubelet", "/usr/local/bin/kubelet")
    for release in releases:
        program = store.release_directory(release) / "bin" / "kubelet"
        host.copy(program, f"{PACKAGES}/{version(release)}/kubelet")


def add_kubelet_user(host):
    """Creates the user kubelet. The kubelet reads its ranges in /etc/subuid and /etc/subgid only if this user
    exists."""
    passwd = host.read("/etc/passwd")
    if "kubelet:" not in passwd:
        host.write("/etc/passwd", passwd + "kubelet:x:950:950::/nonexistent:/usr/sbin/nologin\n")
