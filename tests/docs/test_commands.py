# SPDX-License-Identifier: Apache-2.0
"""Every command line of the manual is valid for its program."""

import re
import shutil
import subprocess

import pytest

from docs.fences import OUR_PROGRAMS, TOP, commands, fences, indented_commands

# Programs of the system. Only their names are checked.
SYSTEM = {"apt-get", "cd", "curl", "dpkg", "systemctl", "install", "ls", "cat", "tar", "openssl", "sha256sum",
          "ctr", "for", "done", "do"}
FENCES = fences()


def run(argv, programs, **options):
    environment = {"PATH": programs, "HOME": "/nonexistent", "LANG": "C.UTF-8"}
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment, timeout=120, **options)


def test_every_shell_fence_says_how_it_is_tried():
    wrong = [fence.name for fence in FENCES if fence.mode not in ("run", "parse", "skip")
             or (fence.mode == "skip") > bool(fence.reason)]
    assert wrong == [], "put <!-- run -->, <!-- parse --> or <!-- skip: reason --> before them (tests/docs/fences.py)"
    assert sum(fence.mode != "skip" for fence in FENCES) > len(FENCES) / 2


@pytest.mark.parametrize("fence", FENCES, ids=lambda fence: fence.name)
def test_shell_can_read_it(fence):
    subprocess.run(["bash", "-n"], input=fence.text, text=True, check=True)


@pytest.mark.parametrize("fence", [fence for fence in FENCES if fence.mode == "run" and not fence.reason],
                         ids=lambda fence: fence.name)
def test_shell_runs_it(fence, programs, tmp_path):
    done = run(["bash", "-euo", "pipefail", "-c", fence.text], programs, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def understood(words, programs):
    """Returns the program's error for these words; "" if the program accepts them."""
    program = words[0]
    if program == "./dev":
        listed = subprocess.run([TOP / "dev", "help"], capture_output=True, text=True, check=True).stdout
        return "" if len(words) < 2 or re.search(rf"(?m)^ +{re.escape(words[1])}\b", listed) else f"./dev {words[1]}"
    if program not in (*OUR_PROGRAMS, "kubectl"):
        return "" if program in SYSTEM else f"{program} is not known here (SYSTEM)"
    if not shutil.which(program, path=programs):
        return ""
    own = words[: words.index("--")] if "--" in words else words
    done = run([*own, "--help"], programs)
    if done.returncode != 0:
        return done.stderr
    return "" if program == "kubectl" else unread(own, done.stdout)


def unread(words, shown):
    """Returns an error if a word is in the position of a command, but is not a command; otherwise ""."""
    usage = re.search(r"^Usage:\n  (.*)$", shown, re.MULTILINE)[1]
    path = re.match(r"[a-z. -]*[a-z]", usage.split(" [")[0])[0].split()
    leading = [word for word in words[: next((i for i, word in enumerate(words) if word.startswith("-")), len(words))]]
    rest = leading[len(path):]
    takes = re.search(r"\[(?!flags\]|command\])|\b[A-Z]{2,}\b|<", usage)
    is_group = "[command]" in shown and "Available Commands:" in shown and not takes
    return f"{' '.join(path)} knows no {rest[0]}" if rest and is_group else ""


PARSED = [(fence.name, words) for fence in FENCES if fence.mode == "parse" for words in commands(fence.text)]


@pytest.mark.parametrize("name,words", PARSED, ids=[f"{name} {words[0]}" for name, words in PARSED])
def test_program_understands_it(name, words, programs):
    assert understood(words, programs) == ""


def test_programs_understand_indented_blocks(programs):
    wrong = []
    for page, line, text in indented_commands():
        for words in commands(text):
            reason = understood([word for word in words if word != "…"], programs)
            wrong += [f"{page}:{line}: {text}: {reason}"] if reason else []
    assert wrong == []


def test_a_command_that_does_not_exist_is_noticed(programs):
    assert understood(["kubeadm", "certs", "rnew", "all"], programs) != ""
    assert understood(["kubeadm", "init", "--pod-cidr", "10.0.0.0/8"], programs) != ""
    assert understood(["./dev", "tset"], programs) != ""


def test_signature_made_and_verified_as_the_page_says(programs, tmp_path):
    """Runs the openssl commands of docs/packages.md on the files of a release."""
    blocks = [fence for fence in FENCES if fence.page == "docs/packages.md" and "openssl" in fence.text]
    verify, make_key, sign = (fence.text for fence in blocks)
    (tmp_path / "a.deb").write_text("a package")
    (tmp_path / "SHA256SUMS").write_text(subprocess.run(
        ["sha256sum", "a.deb"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout)
    for text in (make_key, sign, verify):
        done = run(["bash", "-euo", "pipefail", "-c", text], programs, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "SHA256SUMS").write_text("0" * 64 + "  a.deb\n")
    assert run(["bash", "-euo", "pipefail", "-c", verify], programs, cwd=tmp_path).returncode != 0


def test_package_is_signed_by_the_same_command():
    script = (TOP / "packaging/seal").read_text()
    assert "openssl pkeyutl -sign -rawin -inkey" in script and "-in SHA256SUMS -out SHA256SUMS.sig" in script
