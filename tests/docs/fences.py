# SPDX-License-Identifier: Apache-2.0
"""Code blocks of the manual, and the tests of their command lines.

Each shell block has a comment before it that selects its test:

    <!-- run -->            bash runs the block in an empty directory, and it must succeed
    <!-- run: with … -->    the same, in a directory that a separate test prepares
    <!-- parse -->          each command is given to its program with --help, which reads all arguments;
                            for commands that need a cluster, or change a machine
    <!-- skip: reason -->   only bash checks the syntax
"""

import dataclasses
import re
import shlex
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"(?:<!-- (?P<marker>[^>]*?) -->\n)?^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = {"sh", "bash", "shell", "console", ""}
OUR_PROGRAMS = ("kubeadm", "cluster-machine-approver")


@dataclasses.dataclass(frozen=True)
class Fence:
    page: str
    line: int
    mode: str  # "run", "parse", "skip" or "" for none
    reason: str
    text: str

    @property
    def name(self):
        return f"{self.page}:{self.line}"


def pages():
    return sorted((TOP / "docs").rglob("*.md")) + [TOP / "README.md", TOP / "CONTRIBUTING.md", TOP / "SECURITY.md"]


def fences():
    found = []
    for page in pages():
        text = page.read_text()
        for match in FENCE.finditer(text):
            if match["language"] in SHELL:
                mode, _, reason = (match["marker"] or "").partition(": ")
                line = text.count("\n", 0, match.start("text")) + 1
                found.append(Fence(str(page.relative_to(TOP)), line, mode, reason, match["text"]))
    return found


def indented_commands():
    """Returns (page, line, command) for our commands in blocks that are indented by four blanks."""
    found = []
    for page in pages():
        text = FENCE.sub(lambda match: "\n" * match[0].count("\n"), page.read_text())
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("    ") and line.strip().split(" ")[0] in (*OUR_PROGRAMS, "./dev"):
                found.append((str(page.relative_to(TOP)), number, line.strip().split("  #")[0]))
    return found


def commands(text):
    """Returns the simple commands of a block, each as a list of words. Leaves out here-documents and comments."""
    text = re.sub(r"<<'(\w+)'.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = text.replace("\\\n", " ")
    found = []
    for line in text.splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
        lexer.whitespace_split = True
        words, skip = [], False
        for word in lexer:
            if word in ("|", "||", "&&", ";", "(", ")", "$("):
                found.append(words)
                words = []
            elif word[0] in "<>":
                skip = True
            elif skip:
                skip = False
            else:
                words.append(word)
        found.append(words)
    return [_bare(words) for words in found if _bare(words)]


def _bare(words):
    """Returns the words without those before the command: assignments, sudo, export."""
    while words and (re.match(r"^\w+=", words[0]) or words[0] in ("sudo", "export")):
        words = words[1:]
    return words
