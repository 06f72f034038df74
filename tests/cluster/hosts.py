# SPDX-License-Identifier: Apache-2.0
"""Real hosts that consist of namespaces over this machine's root. containerd runs on them, and they have images.

    with Bench.create() as bench:
        host = bench.host("alpha")
        host.run("kubeadm", "init", "--config", "/root/init.yaml")

The mounts, the network and the processes of a host are in namespaces of one process, the host's process 1. If that
process is killed, only cgroups and a directory remain, which `down` removes. Hosts reach each other and this machine
over a separate bridge. They reach nothing else.
"""

import contextlib
import json
import os
import shutil
import subprocess
import time
import uuid
from pathlib import Path

from cluster import own_roots, runs, template
from cluster.cgroups import Cgroups
from cluster.processes import Process, children, kill_below, wait_until
from components import recipes, store

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
KUBECONFIG = "/etc/kubernetes/admin.conf"
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/opt/slipway/bin:/usr/sbin:/usr/bin:/sbin:/bin"
FIRST_ADDRESS = 10  # last octet of the first host in its run's subnet
MOST_HOSTS = 20
SERVICES = "10.96.0.0/12"
PODS = "10.244.0.0/16"
# Modules that the kernel does not load automatically when a host needs them.
MODULES = ("overlay", "br_netfilter", "nf_conntrack", "nf_tables")
EVERYWHERE = (
    "1.0.0.0/8",
    "2.0.0.0/7",
    "4.0.0.0/6",
    "8.0.0.0/5",
    "16.0.0.0/4",
    "32.0.0.0/3",
    "64.0.0.0/2",
    "128.0.0.0/1",
)
BY_HAND = os.environ.get("SLIPWAY_RUN", "manual")  # the name of the run for hosts created on the command line
INIT_SYSTEMS = ("systemd", "openrc", "none", *own_roots.PACKAGES)
INOTIFY_INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")
ENOUGH_INSTANCES = 1024


class HostError(RuntimeError):
    pass


class Timer:
    """Prints the time of each part of the start: `with timer.part("network"): …`."""

    def __init__(self, say):
        self.say = say
        self.parts = {}

    @contextlib.contextmanager
    def part(self, name):
        begin = time.monotonic()
        yield
        self.parts[name] = time.monotonic() - begin

    def report(self, title):
        parts = ", ".join(f"{name} {seconds:.2f}" for name, seconds in self.parts.items())
        self.say(f"{title}: {sum(self.parts.values()):.2f} s ({parts})")


def quiet(_):
    """A `say` that prints nothing."""


def _prepare_machine():
    """Prepares the kernel, which all hosts share: loads modules, and raises the limit of inotify instances. Kubelets,
    container runtimes and kube-proxy need such instances, and exit without them."""
    for module in MODULES:  # errors are ignored: a module may be built in
        subprocess.run(["modprobe", "-q", module], stderr=subprocess.DEVNULL, check=False)
    if int(INOTIFY_INSTANCES.read_text()) < ENOUGH_INSTANCES:
        INOTIFY_INSTANCES.write_text(str(ENOUGH_INSTANCES))


class Bench:
    """One run: a bridge with a separate subnet, and the hosts on the bridge."""

    def __init__(self, run, say=print):
        self.run = run
        self.say = say

    @classmethod
    def create(cls, say=print):
        """Creates a run that belongs to this process and ends with it. First removes the leftovers of dead runs."""
        reap(say)
        with runs.registry_lock():
            run = runs.register("", Process.own())
        return cls(run, say)._with_bridge()

    @classmethod
    def named(cls, name, say=print):
        """Returns the run of that name, and creates it if it does not exist. The run outlives this process."""
        reap(say)
        with runs.registry_lock():
            run = runs.find(name) or runs.register(name, None)
        return cls(run, say)._with_bridge()

    def _with_bridge(self):
        _prepare_machine()
        bridge, gateway = self.run.bridge, self.run.address(1)
        if not Path("/sys/class/net", bridge).exists():
            _ip(
                f"link add {bridge} type bridge",
                f"addr add {gateway}/24 dev {bridge}",
                f"link set {bridge} up",
            )
        # The bridge does not forward: hosts send only to other hosts and to this machine.
        Path(f"/proc/sys/net/ipv4/conf/{bridge}/forwarding").write_text("0")
        return self

    @property
    def ended(self):
        """The directory that keeps the logs of removed hosts for a while."""
        return self.run.directory / "ended"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.down()

    def host(self, name, **options):
        """Starts a host; see Host.up for the options."""
        return Host(self, name).up(**options)

    def hosts(self):
        """Returns all hosts of the run that were started."""
        records = sorted(self.run.record.glob("host-*.json"))
        return [Host(self, path.stem.removeprefix("host-")) for path in records]

    def down(self):
        for host in self.hosts():
            host.down()
        subprocess.run(
            ["ip", "link", "del", self.run.bridge], stderr=subprocess.DEVNULL, check=False
        )
        Cgroups(f"slipway-{self.run.number}").remove()
        self.run.forget()


class Host:
    """A host of a run. The object may also describe a host that is not running or does not exist yet."""

    def __init__(self, bench, name):
        self.bench = bench
        self.name = name
        self.directory = bench.run.directory / name
        self.record = bench.run.record / f"host-{name}.json"
        self.cgroups = Cgroups(f"slipway-{bench.run.number}/{name}")
        facts = json.loads(self.record.read_text()) if self.record.exists() else {}
        self.slot = facts.get("slot")
        self.init = Process(**facts["init"]) if facts.get("init") else None
        self.timings = {}

    @property
    def address(self):
        return self.bench.run.address(FIRST_ADDRESS + self.slot)

    @property
    def pods(self):
        """The Pods' subnet of this host, for clusters whose controller manager assigns none."""
        return f"10.244.{self.slot}.0/24"

    @property
    def logs(self):
        """The host's /var/log, as a path of this machine. It remains after the host's end, until `down`."""
        return self.directory / "logs"

    def alive(self):
        return self.init is not None and self.init.alive()

    def up(
        self, *, release=recipes.DEFAULT_RELEASE, also=(), images=(), init_system="systemd", kubeadm=None,
        containerd=None,
    ):
        """Starts the host, and returns it when containerd serves.

        release: the release of its components and images. also: more releases, of which the host gets only the images.
        images: more directories with images. init_system: the init system, which is simulated; "real-systemd" and
        "real-openrc" run as process 1. kubeadm: the binary to install as /usr/local/bin/kubeadm. containerd: the
        directory of a containerd 1.x that replaces the release's containerd.
        """
        directories = [_components(name) for name in (release, *also)]
        components = directories[0]
        imported = template.prepared([*directories, *images], self.bench.say, containerd)
        lower = own_roots.root(init_system, self.bench.say)
        timer = Timer(self.bench.say)
        with timer.part("files"):
            self._claim_slot()
            self._write_files(release, init_system, kubeadm)
            if containerd:
                self._replace_containerd(containerd, release)
        with timer.part("images"):
            template.copy(imported, self.directory / "disk" / "containerd")
        with timer.part("namespaces"):
            self._start(components, lower)
        with timer.part("network"):
            self._connect()
        with timer.part("containerd"):
            self._await_containerd()
        self.timings = timer.parts
        timer.report(f"host {self.name} up")
        return self

    def _claim_slot(self):
        if self.record.exists():
            raise HostError(f"there is a host {self.name} already")
        with runs.registry_lock():
            taken = {host.slot for host in self.bench.hosts()}
            self.slot = next(slot for slot in range(MOST_HOSTS) if slot not in taken)
            self._save()
        shutil.rmtree(self.directory, ignore_errors=True)
        for name in (
            "root",
            "scratch",
            "logs",
            "files",
            "disk/containerd",
            "disk/kubelet",
        ):
            (self.directory / name).mkdir(parents=True)

    def _save(self):
        init = {"pid": self.init.pid, "start": self.init.start} if self.init else None
        self.record.write_text(json.dumps({"slot": self.slot, "init": init}))

    def _replace_containerd(self, containerd, release):
        """Installs another containerd ahead of the release's containerd in PATH, with a configuration of its
        version."""
        files = self.directory / "files"
        for program in template.PROGRAMS:
            (files / "usr/local/bin").mkdir(parents=True, exist_ok=True)
            shutil.copy2(containerd / program, files / "usr/local/bin")
        (files / "etc/containerd/config.toml").write_text(
            _configuration("containerd-1.toml", pause=_pause(release))
        )

    def _write_files(self, release, init_system, kubeadm):
        """Writes all files in which the host differs from this machine. They form a tree that is mounted over this
        machine's root."""
        files = self.directory / "files"
        for source in ("common", init_system):
            if (HERE / "host" / source).exists():
                shutil.copytree(HERE / "host" / source, files, dirs_exist_ok=True)
        own_roots.complete(files, init_system)
        for path, text in {
            "etc/hostname": f"{self.name}\n",
            "etc/machine-id": f"{uuid.uuid4().hex}\n",
            "etc/hosts": f"127.0.0.1 localhost\n::1 localhost\n{self.address} {self.name}\n",
            # CoreDNS forwards queries to this address, and gets no answer.
            "etc/resolv.conf": f"nameserver {self.bench.run.address(1)}\n",
            "etc/containerd/config.toml": _configuration("containerd.toml", pause=_pause(release)),
            "etc/cni/net.d/10-bench.conflist": _configuration("cni.conflist", pods=self.pods),
            "root/init.yaml": _configuration(
                "init.yaml", version=recipes.ALL_RELEASES[release].version
            ),
        }.items():
            (files / path).parent.mkdir(parents=True, exist_ok=True)
            (files / path).write_text(text)
        if kubeadm:
            (files / "usr/local/bin").mkdir(parents=True, exist_ok=True)
            shutil.copy2(kubeadm, files / "usr/local/bin/kubeadm")
        (self.directory / "cgroups").write_text(self.cgroups.mounts_inside())

    def _start(self, components, lower):
        self.cgroups.create()
        reading, writing = os.pipe()
        with open(self.directory / "init.log", "wb") as log:
            self._unshare = subprocess.Popen(
                self._start_command(components, lower, writing),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[writing],
                start_new_session=True,
            )
        os.close(writing)
        with os.fdopen(reading) as answer:
            if answer.readline() != "ready\n":
                raise HostError(
                    f"host {self.name} does not start:\n{(self.directory / 'init.log').read_text()}"
                )
        self.init = Process.of(children(self._unshare.pid)[0])
        self._save()

    def _start_command(self, components, lower, ready):
        words = (HERE / "host" / "init", self.directory, components / "bin", ready, lower)
        init = [str(word) for word in words]
        # If the run ends with its owner, the kernel kills the host when the owner dies.
        tie = ["setpriv", "--pdeathsig", "KILL"] if self.bench.run.owner else []
        spaces = ["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child"]
        inside = _joining(self.cgroups.leaves(), [*tie, "unshare", *spaces, *init])
        return _joining(self.cgroups.joined(), ["unshare", "--cgroup", *inside])

    def _connect(self):
        """Connects the host to the bridge.

        The default route exists only so that programs find one: more specific routes make the rest of the network
        unreachable. A host's packets to a Service need a route before they are rewritten. Packets of Pods are rewritten
        earlier. A Pod that sends before kube-proxy is ready therefore fails at once, instead of retrying for half a
        minute.
        """
        bridge, gateway = self.bench.run.bridge, self.bench.run.address(1)
        _ip(
            f"link add {self.veth} type veth peer name eth0 netns {self.init.pid}",
            f"link set {self.veth} master {bridge} up",
        )
        others = [slot for slot in range(MOST_HOSTS) if slot != self.slot]
        _ip(
            "link set lo up",
            f"addr add {self.address}/24 dev eth0",
            "link set eth0 up",
            f"route add default via {gateway}",
            f"route add {SERVICES} via {gateway}",
            f"rule add from {PODS} to {SERVICES} unreachable",
            *(f"route add unreachable {network}" for network in EVERYWHERE),
            *(
                f"route add 10.244.{slot}.0/24 via {self.bench.run.address(FIRST_ADDRESS + slot)}"
                for slot in others
            ),
            within=["nsenter", "-t", str(self.init.pid), "-n"],
        )

    @property
    def veth(self):
        """The bridge's end of the link to the host."""
        return f"slw{self.bench.run.number}h{self.slot}"

    def _await_containerd(self):
        log = self.logs / "containerd.log"
        serving = ("containerd successfully booted", "Start streaming server")
        if not wait_until(
            lambda: log.exists() and all(text in log.read_text() for text in serving), 60
        ):
            raise HostError(
                f"containerd does not serve:\n{log.read_text()[-2000:] if log.exists() else ''}"
            )

    def command(self, *argv, environment=()):
        """Returns the argv that runs `argv` in the host; `environment` is a list of NAME=VALUE."""
        if not self.alive():
            raise HostError(f"host {self.name} is not up")
        return _joining(
            self.cgroups.entrance(),
            [
                "nsenter",
                "-t",
                str(self.init.pid),
                "-m",
                "-u",
                "-i",
                "-n",
                "-p",
                "-C",
                "-r",
                "-w",
                "env",
                "-i",
                f"PATH={SEARCH_PATH}",
                "HOME=/root",
                "LANG=C.UTF-8",
                *environment,
                *argv,
            ],
        )

    def run(self, *argv, check=True, timeout=120, environment=(), stdin=None):
        """Runs a command to its end. The result has stdout and stderr as strings. Kills a command that times out:
        otherwise it would continue in the host and disturb later commands."""
        started = subprocess.Popen(
            self.command(*argv, environment=environment),
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with started:
            try:
                stdout, stderr = started.communicate(stdin, timeout=timeout)
            except BaseException:
                kill_below(started.pid)
                started.kill()
                raise
        result = subprocess.CompletedProcess(argv, started.returncode, stdout, stderr)
        if check and result.returncode != 0:
            raise HostError(
                f"{' '.join(argv)}: exit {result.returncode}\n{result.stdout}{result.stderr}"
            )
        return result

    def start(self, *argv, output):
        """Starts a command and writes both of its outputs to the open file `output`. End it with `kill`."""
        return subprocess.Popen(
            self.command(*argv), stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )

    def kill(self, started):
        """Sends SIGKILL to a command of `start`: to the command itself, not only to nsenter."""
        for pid in children(started.pid):
            if process := Process.of(pid):
                process.kill()
        return started.wait(timeout=10)

    def kubectl(self, *argv, **options):
        return self.run(
            "kubectl", *argv, environment=[f"KUBECONFIG={KUBECONFIG}"], **options
        ).stdout

    def use_kubelet(self, release):
        """Installs the kubelet of that release and restarts it, as a user does after an upgrade. The file is replaced,
        because a running program cannot be overwritten."""
        self.path("/usr/local/bin/kubelet").unlink(missing_ok=True)
        self.copy(_components(release) / "bin" / "kubelet", "/usr/local/bin/kubelet")
        self.service("kubelet", "restart")

    def service(self, name, verb):
        """Starts, stops or restarts containerd or the kubelet; `verb` is "start", "stop" or "restart"."""
        self.run("/usr/lib/slipway/service", name, verb)

    def reboot(self):
        """Kills all processes at once, as a power failure does. containerd, the kubelet and enabled units start again
        automatically."""
        self.run("/usr/lib/slipway/reboot")

    def path(self, path):
        """Returns a path of the host as a path of this machine. Do not follow absolute links in it."""
        return Path(f"/proc/{self.init.pid}/root") / path.lstrip("/")

    def read(self, path):
        return self.path(path).read_text()

    def write(self, path, text, mode=0o644):
        self.path(path).parent.mkdir(parents=True, exist_ok=True)
        self.path(path).write_text(text)
        self.path(path).chmod(mode)

    def copy(self, source, path):
        """Copies a file of this machine into the host."""
        self.path(path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, self.path(path))

    def down(self):
        """Ends the host and removes all of its parts. Idempotent."""
        if self.init and not self.init.kill():
            raise HostError(f"pid {self.init.pid} of host {self.name} does not die")
        if hasattr(self, "_unshare"):
            self._unshare.wait(timeout=10)
        with contextlib.suppress(OSError):  # shutil.Error is an OSError, too
            self.save_logs(self.bench.ended)
        if self.slot is not None:
            subprocess.run(
                ["ip", "link", "del", self.veth], stderr=subprocess.DEVNULL, check=False
            )
        self.cgroups.remove()
        shutil.rmtree(self.directory, ignore_errors=True)
        self.record.unlink(missing_ok=True)

    def save_logs(self, directory):
        """Copies the host's logs to `directory`/NAME, so that they can be read after the host is removed."""
        target = Path(directory) / self.name
        copy_logs(self.logs, target)
        if (self.directory / "init.log").exists():
            shutil.copy2(self.directory / "init.log", target / "init.log")
        return target


def copy_logs(source, target):
    """Copies a directory of logs. Skips logs that change during the copy, because their host may still run."""
    with contextlib.suppress(shutil.Error):
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)


def find(name):
    """Returns the host of that name from any named run."""
    for run in runs.all_runs():
        if run.name and (run.record / f"host-{name}.json").exists():
            return Host(Bench(run), name)
    raise HostError(f"there is no host {name}: tests/cluster/bench up {name}")


def reap(say=print):
    """Removes the leftovers of dead runs."""
    with runs.registry_lock():
        for run in runs.all_runs():
            if run.abandoned():
                say(f"removing what run {run.number} left behind")
                Bench(run, say).down()
        for directory in runs.orphaned_directories():
            shutil.rmtree(directory, ignore_errors=True)


def _components(release):
    directory = store.release_directory(release)
    if not (directory / "images" / "complete").exists():
        command = f"tests/components/build --set k8s-{release}"
        raise HostError(f"the components of {release} are missing: {command}")
    return directory


def _pause(release):
    return f"{recipes.REGISTRY}/pause:{recipes.ALL_RELEASES[release].pause}"


def _configuration(name, **values):
    text = (HERE / "configs" / name).read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def _ip(*commands, within=()):
    result = subprocess.run(
        [*within, "ip", "-batch", "-"],
        input="\n".join(commands),
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise HostError(f"ip: {result.stderr.strip()}")


def _joining(files, argv):
    """Returns an argv that first writes its own process to each of the cgroup.procs files, and then runs `argv`."""
    if not files:
        return argv
    count = len(files)
    script = f'for file in "${{@:1:{count}}}"; do echo 0 >"$file"; done; exec "${{@:{count + 1}}}"'
    return ["bash", "-c", script, "join", *files, *argv]
