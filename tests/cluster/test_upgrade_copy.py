# SPDX-License-Identifier: Apache-2.0
"""An etcd can serve with an upgrade's copy of etcd's data, whatever is written during the copy."""

import pytest

from cluster.processes import wait_until
from cluster.test_doctor import ETCDCTL
from cluster.upgrades import apply, made_by_upstream, take_new_kubeadm
from components import recipes, store

pytestmark = pytest.mark.ours

BIG = 100  # values of a megabyte: a database that takes a while to copy
# Each write is recorded once etcd has acknowledged it.
WRITING = """
i=0
while [ -f /root/writing ]; do
  i=$((i+1)); {etcdctl} put written-$i x >/dev/null 2>&1 && echo $i >/root/written
done
"""
OTHER = "http://127.0.0.1:12379"
COPY = "/root/copy"


@pytest.fixture
def busy(bench, kubeadm, note, request):
    """A control plane of the previous release, whose etcd holds much data and receives writes all the time.
    """
    cluster = made_by_upstream(bench, note, ["alpha"])
    request.addfinalizer(cluster.down)
    take_new_kubeadm(cluster, kubeadm)
    host = cluster.first.host
    etcdctl = " ".join(ETCDCTL)
    host.run("sh", "-c", f"for i in $(seq {BIG}); do head -c 750000 /dev/urandom | base64 -w0 | {etcdctl} put big-$i; done",
             timeout=300)
    host.run("touch", "/root/writing")
    logs = []
    for command in (["sh", "-c", WRITING.format(etcdctl=etcdctl)],
                    [*ETCDCTL, "check", "perf", "--load=m", "--prefix=/load/"]):
        log = open(host.logs / f"writer-{len(logs)}.log", "w", encoding="utf-8")
        logs.append(log)
        host.start(*command, output=log)
    assert wait_until(lambda: host.path("/root/written").exists(), 30)
    yield cluster.first
    for log in logs:
        log.close()


def test_the_copy_serves_with_all_that_was_acknowledged(busy):
    host = busy.host
    before = int(host.read("/root/written"))
    outcome = apply(busy)
    assert outcome.code == 0, outcome.text
    host.run("rm", "/root/writing")
    host.run("sh", "-c", f"cp -a /etc/kubernetes/tmp/kubeadm-backup-etcd-*/etcd {COPY}")
    assert sorted(name.name for name in host.path(f"{COPY}/member/snap").iterdir() if name.suffix != ".snap") == ["db"]
    old = store.release_directory(recipes.PREVIOUS_RELEASE) / "bin"
    host.copy(old / "etcd", "/root/etcd")
    with open(host.logs / "copy.log", "w", encoding="utf-8") as log:
        started = host.start("/root/etcd", f"--data-dir={COPY}", f"--listen-client-urls={OTHER}",
                             f"--advertise-client-urls={OTHER}", "--listen-peer-urls=http://127.0.0.1:12380", output=log)

        def ask(*words):
            return host.run("etcdctl", f"--endpoints={OTHER}", *words, check=False, timeout=60)

        assert wait_until(lambda: ask("put", "after", "x").returncode == 0, 60), (host.logs / "copy.log").read_text()[-3000:]
        assert ask("get", f"written-{before}", "--print-value-only").stdout == "x\n"
        assert ask("get", "big-", "--prefix", "--count-only", "--write-out=fields").stdout.count('"Count" : %d' % BIG) == 1
        assert ask("get", "/registry/namespaces/kube-system", "--keys-only").stdout
        host.kill(started)
