# SPDX-License-Identifier: Apache-2.0
"""Joins by a TPM 2.0 in software (swtpm), which the approver's inventory lists."""

import hashlib

import pytest
from cryptography.hazmat.primitives import serialization

from cluster.clusters import Cluster
from cluster.processes import wait_until
from cluster.test_bound_tokens import PATIENCE, remove
from cluster.test_identity_documents import discovery, install, serve

pytestmark = [pytest.mark.ours, pytest.mark.long]

PEM, DER = serialization.Encoding.PEM, serialization.Encoding.DER


class TpmMachine:
    """A host with a TPM, and the hash of its endorsement key."""

    def __init__(self, cluster, name, log):
        self.machine = cluster.machine(name)
        host = self.machine.host
        host.run("mkdir", "-p", "/root/tpm")
        self.started = host.start("swtpm", "socket", "--tpm2", "--tpmstate", "dir=/root/tpm", "--server",
                                  "type=unixio,path=/root/tpm/s", "--ctrl", "type=unixio,path=/root/tpm/s.ctrl",
                                  "--flags", "not-need-init,startup-clear", output=log)
        self.environment = ["TPM2TOOLS_TCTI=swtpm:path=/root/tpm/s"]
        assert wait_until(lambda: host.path("/root/tpm/s.ctrl").exists(), 10)
        host.run("tpm2_createek", "-Q", "-c", "/root/ek.ctx", "-G", "rsa", "-f", "pem", "-u", "/root/ek.pem",
                 environment=self.environment)
        host.run("tpm2_flushcontext", "-t", environment=self.environment)
        key = serialization.load_pem_public_key(host.read("/root/ek.pem").encode())
        der = key.public_bytes(DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.key_id = f"sha256:{hashlib.sha256(der).hexdigest()}"

    def join(self, cluster, *flags):
        self.machine.host.write("/root/discovery.conf", discovery(cluster))
        return self.machine.join("--discovery-file", "/root/discovery.conf", "--tpm", *flags,
                                 environment=self.environment)


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request, tmp_path_factory):
    """A control plane whose inventory lists the TPM of worker-tpm. Another machine has a TPM that it does not list."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    install(cluster, kubeadm)
    log = open(tmp_path_factory.mktemp("tpm") / "log", "wb")  # noqa: SIM115 - the processes'
    request.addfinalizer(log.close)
    cluster.worker, cluster.thief = (TpmMachine(cluster, name, log) for name in ("worker-tpm", "thief"))
    cluster.first.host.write("/root/hosts.yaml", f"- {{hostname: worker-tpm, endorsementKey: '{cluster.worker.key_id}'}}\n"
                             f"- {{hostname: another, endorsementKey: 'sha256:{'0' * 64}'}}\n")
    request.addfinalizer(serve(cluster, log, "--inventory=nodes,tokens,file", "--inventory-file=/root/hosts.yaml",
                               "--identity-tpm"))
    yield cluster


def test_another_tpm_gets_no_certificate(cluster):
    outcome = cluster.thief.join(cluster, "--node-name", "worker-tpm")
    assert outcome.code != 0, outcome.text
    assert f"no inventory lists the endorsement key {cluster.thief.key_id}" in outcome.text
    remove(cluster, cluster.thief.machine)


def test_a_machine_joins_by_its_tpm(cluster):
    host, environment = cluster.worker.machine.host, cluster.worker.environment
    # Another program has an object in the TPM, which has no resource manager.
    host.run("tpm2_createprimary", "-Q", "-C", "o", "-c", "/root/other.ctx", environment=environment)
    outcome = cluster.worker.join(cluster, "--node-name", "another")
    assert outcome.code != 0 and "client-endorsement-key" in outcome.text, outcome.text
    outcome = cluster.worker.join(cluster)
    assert outcome.code == 0, outcome.text
    cluster.first.host.kubectl("wait", "--for=condition=Ready", "node/worker-tpm", f"--timeout={PATIENCE}s")
    handles = host.run("tpm2_getcap", "handles-transient", environment=environment).stdout
    assert handles.split() == ["-", "0x80000000"]
    assert host.run("ls", "/run/kubeadm-tpm", "/var/lib/kubelet/pki/machine-identity.pem", check=False).stdout == ""
