"""What other processes of the same user, and core files, get to see of kubeadm's memory: nothing."""

import os
import shutil

import pytest

from test_node_lock import HOLD, NOBODY, node  # noqa: F401 (a fixture)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_the_memory_of_a_run_is_not_its_users_to_read(node):  # noqa: F811
    """A process that may be dumped belongs to its user in /proc, one that may not to root."""
    program = node.folder / "bin/kubeadm"
    target = program.resolve()
    program.unlink()
    shutil.copy(target, program)
    os.chown(node.folder, NOBODY, NOBODY)
    as_nobody = HOLD.replace("kubeadm reset", f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups kubeadm reset")
    done = node.run(as_nobody + """
        stat -c 'kubeadm %u' /proc/$holder/mem
        setpriv --reuid 65534 --regid 65534 --clear-groups sleep 100 & other=$!
        until [ "$(cat /proc/$other/comm)" = sleep ]; do read -rt 0.02 <> <(:); done
        stat -c 'another %u' /proc/$other/mem""")
    assert done.stdout.splitlines() == ["kubeadm 0", f"another {NOBODY}"], done
