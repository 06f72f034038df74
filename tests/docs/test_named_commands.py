# SPDX-License-Identifier: Apache-2.0
"""Every command in a message of the program exists and has the named flags (docs/adr/0010-remedies.md)."""

import re
import subprocess

import pytest

from docs.fences import TOP

LITERAL = re.compile(r'R"(?:\w*)\((?P<raw>.*?)\)(?:\w*)"|"(?P<text>(?:[^"\\\n]|\\.)*)"', re.DOTALL)
QUOTED = re.compile(r"'(kubeadm [^'\n]+)'|`(kubeadm [^`\n]+)`")
COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
FLAG = re.compile(r"--[a-z][a-z-]*[a-z]")
# Placeholders for values in quoted commands.
VALUE = re.compile(r"[A-Z{<…./\[0-9]|\\|=")


def sources():
    return [path for path in sorted((TOP / "src").rglob("*.cc"))
            if not path.name.endswith("_test.cc") and not path.name.startswith("fake_")]


def texts(source):
    """Returns the string literals of a C++ source; adjacent literals are joined."""
    text, end = "", 0
    for match in LITERAL.finditer(source):
        if source[end:match.start()].strip():
            yield text
            text = ""
        text += match["raw"] if match["raw"] is not None else match["text"].replace('\\"', '"').replace("\\n", "\n")
        end = match.end()
    yield text


class Commands:
    """The tree of kubeadm's commands, read from --help when needed."""

    def __init__(self, program):
        self.program = program
        self.helps = {}

    def help(self, path):
        if path not in self.helps:
            done = subprocess.run([self.program, *path, "--help"], capture_output=True, text=True, check=False)
            self.helps[path] = done.stdout if done.returncode == 0 else ""
        return self.helps[path]

    def subcommands(self, path):
        found = re.search(r"^Available Commands:\n((?:  .*\n)+)", self.help(path), re.MULTILINE)
        beyond = re.search(r"^Beyond upstream:\n((?:  .*\n)+)", self.help(path), re.MULTILINE)
        lines = [line for block in (found, beyond) if block for line in block[1].splitlines()]
        return {line.split()[0] for line in lines if line.startswith("  ") and line.strip() and line[2] != " "}

    def wrong(self, words):
        """Returns why these words after "kubeadm" are not a command with its flags; "" if they are."""
        path = ()
        for word in words:
            known = self.subcommands(path)
            if word.startswith("-") or VALUE.match(word) or not known:
                break
            if word not in known:
                return f"kubeadm{''.join(' ' + part for part in path)} has no command {word}"
            path += (word,)
        for flag in FLAG.findall(" ".join(words)):
            if not re.search(rf"(?:^|[\s,]){re.escape(flag)}\b", self.help(path)):
                return f"kubeadm {' '.join(path)} has no flag {flag}"
        return ""

    def unquoted(self, text):
        """Returns the command at the beginning of a sentence, without the following words."""
        path = ()
        words = text.split()
        while words and words[0].rstrip(",.;:)") in self.subcommands(path):
            path += (words.pop(0).rstrip(",.;:)"),)
        while path and words and FLAG.match(words[0]):
            path += (FLAG.match(words.pop(0))[0],)
        return path


@pytest.fixture(name="kubeadm", scope="module")
def _kubeadm():
    return Commands(TOP / "build/bin/kubeadm")


def named(text, kubeadm):
    """Yields the commands in a text, each as the words after "kubeadm"."""
    for match in QUOTED.finditer(text):
        yield re.sub(r"[,.;:)(]+(?= |$)", "", match[1] or match[2]).split()[1:]
    for rest in QUOTED.sub("", text).split("kubeadm ")[1:]:
        if words := kubeadm.unquoted(rest):
            yield words


def test_messages_name_commands_that_exist(kubeadm):
    wrong, seen = [], 0
    for path in sources():
        for text in texts(COMMENT.sub("", path.read_text())):
            for command in named(text, kubeadm):
                seen += 1
                reason = kubeadm.wrong(command)
                wrong += [f"{path.relative_to(TOP)}: {' '.join(command)}: {reason}"] if reason else []
    assert wrong == []
    assert seen > 150


@pytest.mark.parametrize("words,reason", [
    ("certs rnew all", "kubeadm certs has no command rnew"),
    ("cert renew", "kubeadm has no command cert"),
    ("certs renew all --restrat", "kubeadm certs renew all has no flag --restrat"),
    ("certs renew NAME --restart", ""),
    ("token create --print-join-command", ""),
])
def test_a_command_that_does_not_exist_is_noticed(kubeadm, words, reason):
    assert kubeadm.wrong(words.split()) == reason
