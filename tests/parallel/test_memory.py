# SPDX-License-Identifier: Apache-2.0
"""Other processes of the same user, and core files, must not contain kubeadm's memory."""

import base64
import os
import shutil

import pytest
import yaml

import last_memory
from test_node_lock import HOLD, NOBODY, node  # noqa: F401 (a fixture)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_the_memory_of_a_run_is_not_its_users_to_read(node):  # noqa: F811
    """In /proc, files of a dumpable process belong to its user, and those of other processes to root. kubeadm's must
    belong to root."""
    program = node.directory / "bin/kubeadm"
    target = program.resolve()
    program.unlink()
    shutil.copy(target, program)
    os.chown(node.directory, NOBODY, NOBODY)
    as_nobody = HOLD.replace("kubeadm reset", f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups kubeadm reset")
    done = node.run(as_nobody + """
        stat -c 'kubeadm %u' /proc/$holder/mem
        setpriv --reuid 65534 --regid 65534 --clear-groups sleep 100 & other=$!
        until [ "$(cat /proc/$other/comm)" = sleep ]; do read -rt 0.02 <> <(:); done
        stat -c 'another %u' /proc/$other/mem""")
    assert done.stdout.splitlines() == ["kubeadm 0", f"another {NOBODY}"], done


@pytest.mark.skipif(os.geteuid() != 0, reason="only root reads the memory of what may not be dumped")
@pytest.mark.parametrize("words", [
    ["init", "phase", "certs", "all"],
    ["certs", "renew", "apiserver"],
    ["init", "phase", "certs", "sa"],
])
def test_the_text_of_no_private_key_is_left_when_a_run_ends(node, words):  # noqa: F811
    """At the end of a run, its memory must contain no text of a key that it generated, read or replaced."""
    config, kubeadm = node.config(node.directory / "pki"), str(node.directory / "bin/kubeadm")
    config.write_text(config.read_text().replace("ECDSA-P256", "RSA-2048"))
    if words[-1] != "all":
        assert last_memory.run([kubeadm, "init", "phase", "certs", "all", "--config", str(config)])[0] == 0
    before = {key: key.read_bytes() for key in node.directory.glob("pki/**/*.key")}
    code, memory = last_memory.run([kubeadm, *words, "--config", str(config)])
    assert code == 0
    assert any(str(config).encode() in part for part in memory), "this is not the memory of the run"
    keys = sorted(node.directory.glob("pki/**/*.key"))
    assert len(keys) == 11
    left = [key.name for key in keys for text in {key.read_bytes(), before.get(key, b"")} if is_left(text, memory)]
    assert left == []


def is_left(key, memory):
    return any(line in part for line in key.splitlines()[2:-2] for part in memory)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root reads the memory of what may not be dumped")
@pytest.mark.parametrize("runs", [1, 2])
def test_the_text_of_no_key_in_a_kubeconfig_is_left(node, runs):  # noqa: F811
    """At the end of a run, its memory must contain no text of a generated or existing key."""
    config, kubeadm = node.config(node.directory / "pki"), str(node.directory / "bin/kubeadm")
    config.write_text(config.read_text().replace("ECDSA-P256", "RSA-2048"))
    assert last_memory.run([kubeadm, "init", "phase", "certs", "all", "--config", str(config)])[0] == 0
    words = ["init", "phase", "kubeconfig", "all", "--kubeconfig-dir", str(node.directory / "conf")]
    for _ in range(runs):
        code, memory = last_memory.run([kubeadm, *words, "--config", str(config)])
        assert code == 0
    files = sorted((node.directory / "conf").glob("*.conf"))
    assert len(files) == 5
    users = {file.name: yaml.safe_load(file.read_text())["users"][0]["user"] for file in files}
    assert [name for name, user in users.items() if is_left(base64.b64decode(user["client-key-data"]), memory)] == []
