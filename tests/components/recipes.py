# SPDX-License-Identifier: Apache-2.0
"""The components to build: one row for each program and image. Each directory's go.mod has the versions."""

import dataclasses
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
REGISTRY = "registry.k8s.io"
ECHO_IMAGE = "slipway.test/echo:1"
DEFAULT_RELEASE = "1.37"
PREVIOUS_RELEASE = "1.36"  # the release from which upgrades start


@dataclasses.dataclass(frozen=True)
class Program:
    """A Go program: `package`, built in the module of `directory`, with the version of `module`."""

    name: str
    directory: str
    package: str
    module: str
    tags: str = ""
    version_variable: str = ""  # a variable that -X sets to the version
    kubernetes: bool = False  # True: the program has the version variables of Kubernetes
    test: bool = False  # True: builds the package's tests as a program
    c: bool = False  # True: has parts in C, which are linked statically

    @property
    def version(self):
        """Returns the version of the module in go.mod, with its "v"; "v0" for our own programs."""
        found = re.search(rf"^\s+{re.escape(self.module)} (v\S+)", self.go_mod(), re.MULTILINE)
        return found.group(1) if found else "v0"

    def go_mod(self):
        return (HERE / self.directory / "go.mod").read_text()

    def linker_flags(self):
        if self.kubernetes:
            return " ".join(
                ["-s -w", *(f"-X {name}={value}" for name, value in self._version_facts())]
            )
        flags = "-s -w " + (f"-X {self.version_variable}={self.version}" if self.version_variable else "")
        return f"{flags} -extldflags=-static" if self.c else flags

    def _version_facts(self):
        """Returns the version variables. Without these, every program reports v0.0.0 and refuses to work with the
        others."""
        major, minor, _ = self.version.lstrip("v").split(".", 2)
        component = "k8s.io/component-base/version."
        return [
            (component + "gitVersion", self.version),
            (component + "gitMajor", major),
            (component + "gitMinor", minor),
            (component + "gitCommit", "0" * 40),
            (component + "gitTreeState", "clean"),
            (component + "buildDate", "2026-01-01T00:00:00Z"),
            ("k8s.io/client-go/pkg/version.gitVersion", self.version),
        ]


CONTROL_PLANE = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
KUBERNETES = ("kubelet", "kubectl", *CONTROL_PLANE, "kube-proxy", "kubeadm")


def _kubernetes(release):
    return {
        name: Program(
            name,
            f"k8s-{release}",
            f"k8s.io/kubernetes/cmd/{name}",
            "k8s.io/kubernetes",
            kubernetes=True,
        )
        for name in KUBERNETES
    }


def _containerd():
    module = "github.com/containerd/containerd/v2"
    return {
        name: Program(
            name,
            "containerd",
            f"{module}/cmd/{name}",
            module,
            tags="no_btrfs no_zfs no_devmapper",
            version_variable=f"{module}/version.Version",
        )
        for name in ("containerd", "containerd-shim-runc-v2", "ctr")
    }


def _etcd(directory):
    server = "go.etcd.io/etcd/server/v3"
    return {
        "etcd": Program("etcd", directory, server, server),
        "etcdctl": Program("etcdctl", directory, "go.etcd.io/etcd/etcdctl/v3", server),
        "etcdutl": Program("etcdutl", directory, "go.etcd.io/etcd/etcdutl/v3", server),
    }


def _coredns(directory):
    module = "github.com/coredns/coredns"
    return {"coredns": Program("coredns", directory, module, module)}


SHARED = {
    **_containerd(),
    "echo": Program("echo", "echo", ".", "slipway.test/components/echo"),
}

E2E_RELEASES = ("1.37",)


def _e2e(minor):
    """Kubernetes' own test suites of a minor version, and the programs in the images that they deploy."""
    source = "k8s.io/kubernetes/test"
    packages = {
        "e2e.test": f"{source}/e2e",
        "e2e_kubeadm.test": f"{source}/e2e_kubeadm",
        "agnhost": f"{source}/images/agnhost",
        "nonewprivs": f"{source}/images/nonewprivs",
        "regression-issue-74839": f"{source}/images/regression-issue-74839",
        "resource-consumer": f"{source}/images/resource-consumer",
        "consume-cpu": f"{source}/images/resource-consumer/consume-cpu",
        "sample-apiserver": "k8s.io/sample-apiserver",
    }
    return {
        f"{name}-{minor}": Program(
            name, f"e2e-{minor}", package, "k8s.io/kubernetes", kubernetes=True, test=name.endswith(".test")
        )
        for name, package in packages.items()
    }


# Managers of Cluster API: a short name → the package in its module.
CLUSTER_API = {"core": "core", "bootstrap": "bootstrap/kubeadm", "control-plane": "controlplane/kubeadm"}

# Programs that only tests run: they belong to no release and to no host.
TOOLS = {
    "gocsr": Program("gocsr", "gocsr", ".", "slipway.test/components/gocsr"),
    # The reference implementation of the age format, for tests of encrypted backups.
    **{
        name: Program(name, "age", f"filippo.io/age/cmd/{name}", "filippo.io/age")
        for name in ("age", "age-keygen")
    },
    **{name: program for minor in E2E_RELEASES for name, program in _e2e(minor).items()},
    # An S3 server, for backups in buckets.
    "versitygw": Program(
        "versitygw", "versitygw", "github.com/versity/versitygw/cmd/versitygw", "github.com/versity/versitygw"
    ),
    # Decodes traces with the library of OpenTelemetry's collector.
    "otlp-receiver": Program("otlp-receiver", "otlp-receiver", ".", "slipway.test/components/otlp-receiver"),
    # Renders and installs the approver's chart.
    "helm": Program("helm", "helm", "helm.sh/helm/v4/cmd/helm", "helm.sh/helm/v4"),
    # Asks every kubelet for the usage of its Pods.
    "metrics-server": Program(
        "metrics-server", "metrics-server", "sigs.k8s.io/metrics-server/cmd/metrics-server", "sigs.k8s.io/metrics-server"
    ),
    # Network add-ons. A plug-in of flannel's own, which creates the Pods' interfaces, is of an older module: the newer
    # modules lack it, or are not served.
    "flanneld": Program(
        "flanneld", "flannel", "github.com/flannel-io/flannel", "github.com/flannel-io/flannel",
        tags="netgo osusergo", c=True,
    ),
    "flannel-install-conf": Program(
        "flannel-install-conf", "flannel", "github.com/flannel-io/flannel/cmd/install_conf", "github.com/flannel-io/flannel"
    ),
    "flannel-cni": Program(
        "flannel-cni", "flannel-cni", "github.com/containernetworking/plugins/plugins/meta/flannel",
        "github.com/containernetworking/plugins",
    ),
    "kube-router": Program(
        "kube-router", "kube-router", "github.com/cloudnativelabs/kube-router/v2/cmd/kube-router",
        "github.com/cloudnativelabs/kube-router/v2",
    ),
    # The controllers of Cluster API.
    **{
        f"cluster-api-{name}": Program(
            f"cluster-api-{name}",
            "cluster-api",
            f"sigs.k8s.io/cluster-api/{package}",
            "sigs.k8s.io/cluster-api",
            version_variable="sigs.k8s.io/cluster-api/version.gitVersion",
        )
        for name, package in CLUSTER_API.items()
    },
    # Versions of etcd for rolling upgrades: v1.33's, v1.36's, the patch that etcd requires before 3.7, and v1.37's.
    **{
        directory: _etcd(directory)["etcd"]
        for directory in ("etcd-3.5", "etcd", "etcd-3.6", "etcd-3.7")
    },
}


@dataclasses.dataclass(frozen=True)
class Release:
    """A minor version of Kubernetes, with the other images that its kubeadm requires."""

    minor: str
    etcd: str
    coredns: str
    pause: str
    etcd_directory: str = "etcd"
    coredns_directory: str = dataclasses.field(default="coredns", repr=False)

    @property
    def programs(self):
        return {
            **_kubernetes(self.minor),
            **_etcd(self.etcd_directory),
            **_coredns(self.coredns_directory),
            **SHARED,
        }

    @property
    def version(self):
        return self.programs["kubelet"].version


RELEASES = {
    "1.37": Release(
        "1.37", etcd="3.7.0-0", coredns="v1.14.6", pause="3.10.2", etcd_directory="etcd-3.7"
    ),
    "1.36": Release("1.36", etcd="3.6.8-0", coredns="v1.14.2", pause="3.10.2"),
    "1.35": Release("1.35", etcd="3.6.6-0", coredns="v1.13.1", pause="3.10.1"),
    "1.34": Release("1.34", etcd="3.6.5-0", coredns="v1.12.1", pause="3.10.1"),
}

# The next minor version while it has only pre-releases, otherwise None. Its programs have two libraries of v1.37 or of
# our own (assembled.py), because the Go module proxy does not serve these modules of v1.38. Each program is built with
# the minor version of Go of the published program, because only Go 1.27 knows ML-DSA. etcd 3.7.1 is built with 1.26,
# the other programs with 1.27.
PREVIEW = Release(
    "1.38",
    etcd="3.7.1-0",
    coredns="v1.15.0",
    pause="3.10.2",
    etcd_directory="etcd-3.7.1",
    coredns_directory="coredns-1.15",
)
ALL_RELEASES = {**({PREVIEW.minor: PREVIEW} if PREVIEW else {}), **RELEASES}
LAST_RELEASE = max(ALL_RELEASES)  # the preview, or the newest release

# Selections for `build --set`: programs of a release, and whether to build its images, too.
API_PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kubectl")


@dataclasses.dataclass(frozen=True)
class Selection:
    release: str
    programs: tuple
    images: bool


SELECTIONS = {
    **{
        f"k8s-{minor}": Selection(minor, tuple(release.programs), images=True)
        for minor, release in ALL_RELEASES.items()
    },
    "api": Selection(DEFAULT_RELEASE, API_PROGRAMS, images=False),
    "kubeadm": Selection(DEFAULT_RELEASE, ("kubeadm",), images=False),
    **{f"kubeadm-{minor}": Selection(minor, ("kubeadm",), images=False) for minor in ALL_RELEASES},
}
