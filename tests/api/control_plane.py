# SPDX-License-Identifier: Apache-2.0
"""A control plane of plain processes on the loopback address: etcd, kube-apiserver and kube-controller-manager. It
starts in seconds, and has a kubeconfig for each kind of caller."""

import contextlib
import datetime
import json
import os
import socket
import ssl
import subprocess
import time
import urllib.request
from pathlib import Path

import yaml

from components import recipes, store

ADMIN, CONTROLLER, NOBODY = "admin", "controller-manager", "nobody"
# Subjects of the callers' certificates; one of them has no rights at all.
CALLERS = {
    ADMIN: "/O=system:masters/CN=admin",
    CONTROLLER: "/CN=system:kube-controller-manager",
    NOBODY: "/CN=nobody",
}
# The default age of certificates, as in an older cluster: they must be valid when a test sets the clock back.
DAY = datetime.timedelta(days=1)


def program(name, release=recipes.DEFAULT_RELEASE):
    """Returns $SLIPWAY_PROGRAMS/NAME, or else the program of the release that tests/components built."""
    directory = os.environ.get("SLIPWAY_PROGRAMS")
    return Path(directory) / name if directory else store.release_directory(release) / "bin" / name


def free_ports(count):
    with contextlib.ExitStack() as sockets:
        found = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for each in found:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in found]


def eventually(ask, limit=60):
    deadline = time.monotonic() + limit
    while not (answer := ask()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return answer


class Certificates:
    """A CA and its certificates, which openssl creates in `directory`."""

    def __init__(self, directory):
        self.directory = directory
        self._openssl("req", "-x509", *self._new_key("ca"), "-subj", "/CN=kubernetes", *self._period(DAY),
                      "-addext", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature", "-out", "ca.crt")
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "sa.key")
        self.sign_serving()

    def sign_serving(self, age=DAY):
        self.sign("apiserver", "/CN=kube-apiserver", "subjectAltName=IP:127.0.0.1", age)

    def sign(self, name, subject, extension="extendedKeyUsage=clientAuth", age=DAY):
        (self.directory / f"{name}.ext").write_text(f"{extension}\nauthorityKeyIdentifier=keyid\n")
        self._openssl("req", *self._new_key(name), "-subj", subject, "-out", f"{name}.csr")
        self._openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
                      "-CAcreateserial", *self._period(age), "-extfile", f"{name}.ext", "-out", f"{name}.crt")

    def path(self, name):
        return str(self.directory / name)

    def _new_key(self, name):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                f"{name}.key"]

    @staticmethod
    def _period(age):
        now = datetime.datetime.now(datetime.timezone.utc)
        return "-not_before", f"{now - age:%Y%m%d%H%M%SZ}", "-not_after", f"{now + DAY:%Y%m%d%H%M%SZ}"

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.directory, check=True, capture_output=True)


class ControlPlane:
    """A control plane, started by `start` and ended by `stop`. `directory` has its certificates, kubeconfigs and logs.
    If `guarded`, the API server limits nodes to their own objects, as kubeadm's does (NodeRestriction). It then also
    writes audit.log, with a line for each request of a service account."""

    def __init__(self, directory, say=print, guarded=False, release=recipes.DEFAULT_RELEASE):
        self.directory = Path(directory)
        self.release = release
        self.guarded = guarded
        self.say = say
        self.processes = []
        self.etcd, peer, self.port, self.manager = free_ports(4)
        self.peer = f"http://127.0.0.1:{peer}"
        self.server = f"https://127.0.0.1:{self.port}"

    def start(self):
        with self._timed("certificates"):
            self.certificates = Certificates(self.directory)
            for name, subject in CALLERS.items():
                self.certificates.sign(name, subject)
                self._write_kubeconfig(name, {"client-certificate": self.certificates.path(f"{name}.crt"),
                                              "client-key": self.certificates.path(f"{name}.key")})
        with self._timed("etcd"):
            self._run("etcd", self._etcd_flags())
            self._wait(f"http://127.0.0.1:{self.etcd}/health")
        with self._timed("kube-apiserver"):
            self._run("kube-apiserver", self._apiserver_flags())
            self._wait(f"{self.server}/readyz")
        with self._timed("kube-controller-manager"):
            self._run("kube-controller-manager", self._manager_flags())
            self._wait(f"{self.manager_url}/healthz")

    @contextlib.contextmanager
    def just_made(self):
        """During the block, the API server's certificate is new, as during an `init`."""
        self._serve_certificate_of(datetime.timedelta(0))
        try:
            yield
        finally:
            self._serve_certificate_of(DAY)

    def _serve_certificate_of(self, age):
        self.certificates.sign_serving(age)
        wanted = Path(self.certificates.path("apiserver.crt")).read_text().strip()
        eventually(lambda: ssl.get_server_certificate(("127.0.0.1", self.port)).strip() == wanted, limit=90)

    def restart_apiserver(self):
        """Kills the API server as a power failure does, and restarts it. Also restarts the controller manager, which
        would exit if it were still starting."""
        for _ in range(2):
            old = self.processes.pop()
            old.kill()
            old.wait()
        self._run("kube-apiserver", self._apiserver_flags())
        self._wait(f"{self.server}/readyz")
        self._run("kube-controller-manager", self._manager_flags())
        self._wait(f"{self.manager_url}/healthz")

    def stop(self):
        for process in reversed(self.processes):
            process.kill()  # its data are discarded, so a kill is sufficient
            process.wait()

    def compact(self):
        """Compacts etcd's whole history."""
        now = self._ask_etcd("maintenance/status", {})["header"]["revision"]
        self._ask_etcd("kv/compaction", {"revision": now, "physical": True})

    def _ask_etcd(self, what, question):
        url = f"http://127.0.0.1:{self.etcd}/v3/{what}"
        with urllib.request.urlopen(url, json.dumps(question).encode(), timeout=10) as answer:
            return json.load(answer)

    @property
    def manager_url(self):
        return f"https://127.0.0.1:{self.manager}"

    def audit_log(self):
        """Returns the complete lines of audit.log; the API server may be writing another line."""
        text = (self.directory / "audit.log").read_text()
        return text[:text.rfind("\n") + 1]

    def kubeconfig(self, caller=ADMIN):
        return self.directory / f"{caller}.conf"

    def token_kubeconfig(self, token):
        """Returns a kubeconfig of a caller with a bearer token."""
        self._write_kubeconfig("token", {"token": token})
        return self.kubeconfig("token")

    def _write_kubeconfig(self, name, user):
        cluster = {"server": self.server, "certificate-authority": self.certificates.path("ca.crt")}
        self.kubeconfig(name).write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "it",
            "clusters": [{"name": "it", "cluster": cluster}],
            "users": [{"name": name, "user": user}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": name}}]}))

    def _etcd_flags(self):
        client = f"http://127.0.0.1:{self.etcd}"
        return {"data-dir": self.directory / "etcd", "unsafe-no-fsync": "true",
                "listen-client-urls": client, "advertise-client-urls": client,
                "listen-peer-urls": self.peer, "initial-advertise-peer-urls": self.peer,
                "initial-cluster": f"default={self.peer}"}

    def _apiserver_flags(self):
        path = self.certificates.path
        return {**self._guard_flags(), "etcd-servers": f"http://127.0.0.1:{self.etcd}", "secure-port": self.port,
                "bind-address": "127.0.0.1", "endpoint-reconciler-type": "none",
                "client-ca-file": path("ca.crt"), "tls-cert-file": path("apiserver.crt"),
                "tls-private-key-file": path("apiserver.key"),
                "service-account-key-file": path("sa.key"),
                "service-account-signing-key-file": path("sa.key"),
                "service-account-issuer": "https://kubernetes.default.svc",
                "service-cluster-ip-range": "10.96.0.0/16", "authorization-mode": "Node,RBAC",
                "allow-privileged": "true",
                "enable-bootstrap-token-auth": "true"}

    def _guard_flags(self):
        if not self.guarded:
            return {}
        policy = self.directory / "audit.yaml"
        rules = [{"level": "Metadata", "userGroups": ["system:serviceaccounts"], "omitStages": ["RequestReceived"]},
                 {"level": "None"}]
        policy.write_text(yaml.safe_dump({"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": rules}))
        return {"enable-admission-plugins": "NodeRestriction", "audit-policy-file": policy,
                "audit-log-path": self.directory / "audit.log", "audit-log-mode": "blocking"}

    def _manager_flags(self):
        path = self.certificates.path
        config = self.kubeconfig(CONTROLLER)
        return {"kubeconfig": config, "authentication-kubeconfig": config,
                "authorization-kubeconfig": config, "bind-address": "127.0.0.1",
                "secure-port": self.manager, "leader-elect": "false",
                "use-service-account-credentials": "true",
                "controllers": "*,bootstrapsigner,tokencleaner",
                "cluster-signing-cert-file": path("ca.crt"), "cluster-signing-key-file": path("ca.key"),
                "service-account-private-key-file": path("sa.key"), "root-ca-file": path("ca.crt")}

    def _run(self, name, flags):
        log = open(self.directory / f"{name}.log", "wb")  # noqa: SIM115 - the process writes to it
        command = [program(name, self.release), *(f"--{key}={value}" for key, value in flags.items())]
        self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, cwd=self.directory))
        log.close()

    def _wait(self, url, limit=180):
        """Waits until `url` answers with status 200; fails if a process ends first. The API server forbids /readyz
        until its RBAC roles exist, which takes more than a minute on a busy machine."""
        context = ssl._create_unverified_context()
        deadline = time.monotonic() + limit
        while True:
            try:
                with urllib.request.urlopen(url, context=context, timeout=5):
                    return
            except OSError as error:
                ended = [each for each in self.processes if each.poll() is not None]
                if ended or time.monotonic() > deadline:
                    raise RuntimeError(f"{url}: {error}; logs in {self.directory}") from error
            time.sleep(0.05)

    @contextlib.contextmanager
    def _timed(self, what):
        begin = time.monotonic()
        yield
        self.say(f"{what}: {time.monotonic() - begin:.1f} s")
