# SPDX-License-Identifier: Apache-2.0
"""The completion scripts, run by their shells."""

import os
import pathlib
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent

# The queries for each shell: the command line up to the cursor → words that it must offer, and words that it must not
# offer.
CASES = [
    ("kubeadm ", {"init", "join", "certs", "config", "token", "version"}, {"__complete"}),
    ("kubeadm in", {"init"}, {"join"}),
    ("kubeadm certs re", {"renew"}, {"generate-csr"}),
    ("kubeadm certs renew api", {"apiserver", "apiserver-etcd-client"}, {"admin.conf"}),
    ("kubeadm init --service-", {"--service-cidr", "--service-dns-domain"}, {"--config"}),
    ("kubeadm --v 5 config print reset", {"reset-defaults"}, {"init-defaults"}),
    ("kubeadm init --config kub", {"kubeadm.yaml"}, {"certs"}),
    ("kubeadm completion ", {"bash", "zsh", "fish"}, set()),
]

BASH = """
source <(kubeadm completion bash)
COMP_LINE=$1 COMP_POINT=${#1}
read -ra COMP_WORDS <<<"$1"
[[ $1 == *' ' ]] && COMP_WORDS+=("")
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_kubeadm_complete
printf '%s\\n' "${COMPREPLY[@]}"
# The additions of `complete -o default` to an empty list of offers.
(( ${#COMPREPLY[@]} )) || compgen -f -- "${COMP_WORDS[COMP_CWORD]}"
"""

# Without a terminal, zsh has no line editor, so its two functions for completion are replaced by ones that print.
ZSH = """
compdef() { : }
_describe() { local name=$argv[-1] row; for row in "${(@P)name}"; do print -r -- "${row%%:*}"; done }
_files() { print -rl -- *(N) }
source <(kubeadm completion zsh)
words=(${(z)1})
[[ $1 == *' ' ]] && words+=('')
CURRENT=${#words}
_kubeadm
"""

FISH = """
kubeadm completion fish | source
complete --do-complete $argv[1]
"""


def offered_by(output):
    """Returns the words, one from each line; fish adds a tab and the summary."""
    return {line.split("\t")[0] for line in output.splitlines()}


SHELLS = {
    "bash": ["--noprofile", "--norc", "-c", BASH, "bash"],
    "zsh": ["-f", "-c", ZSH, "zsh"],
    "fish": ["--no-config", "-c", FISH],
}


@pytest.fixture(scope="session", name="directory")
def fixture_directory(tmp_path_factory):
    """A directory with a file to complete, and with kubeadm in PATH."""
    directory = tmp_path_factory.mktemp("shells")
    (directory / "kubeadm.yaml").write_text("")
    (directory / "bin").mkdir()
    program = os.environ.get("KUBEADM", TOP / "build/bin/kubeadm")
    (directory / "bin/kubeadm").symlink_to(pathlib.Path(program).resolve())
    return directory


@pytest.mark.parametrize("line,wanted,unwanted", CASES, ids=[case[0].strip() for case in CASES])
@pytest.mark.parametrize("shell", SHELLS)
def test_offers_possible_next_words(directory, shell, line, wanted, unwanted):
    program = shutil.which(shell)
    if not program:
        pytest.skip(f"{shell} is not installed (packages.txt)")
    done = subprocess.run(
        [program, *SHELLS[shell], line],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=directory,
        env={"PATH": f"{directory}/bin:{os.environ['PATH']}", "HOME": str(directory), "TERM": "dumb"},
    )
    found = offered_by(done.stdout)
    assert wanted <= found, done.stdout + done.stderr
    assert not unwanted & found, done.stdout


def test_every_script_is_one_that_its_shell_can_read(directory):
    """Each shell parses its script without a terminal. Otherwise a syntax error would be noticed only at the next
    login."""
    for shell, option in {"bash": "-n", "zsh": "-n", "fish": "--no-execute"}.items():
        program = shutil.which(shell)
        if not program:
            continue
        script = subprocess.run(
            [directory / "bin/kubeadm", "completion", shell], capture_output=True, check=True
        ).stdout
        (directory / f"script.{shell}").write_bytes(script)
        subprocess.run([program, option, directory / f"script.{shell}"], check=True, timeout=60)
