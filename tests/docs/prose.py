# SPDX-License-Identifier: Apache-2.0
"""The prose of the repository: comments, docstrings, test names, and the paragraphs and headings of pages."""

import ast
import dataclasses
import functools
import re
import subprocess

from docs.fences import FENCE, TOP

CPP = re.compile(r"\.(?:cc|h)$")
HASH = re.compile(r"\.(?:py|sh|cmake)$|(?:^|/)CMakeLists\.txt$")
COMMENT = {"//": re.compile(r"^\s*///?(?: (.*))?$"), "#": re.compile(r"^\s*#(?!!)(?: (.*))?$")}
TRAILING = {"//": re.compile(r"\S\s+// (.*)$"), "#": re.compile(r"\S  # (.*)$")}
CPP_TEST = re.compile(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*\w+,\s*(\w+)\)", re.MULTILINE)
PYTHON_TEST = re.compile(r"^\s*def (test_\w+)", re.MULTILINE)
# Lines of these forms are not sentences: samples (indented or in columns), table rows, licences, lint markers.
SAMPLE = re.compile(r"^\s{2}|\S {2,}\S|^\||^SPDX|^NOLINT|^clang-format|^noqa|^pylint")


@dataclasses.dataclass(frozen=True)
class Text:
    place: str  # "file:line"
    kind: str  # "comment", "test name", "page"
    text: str


def paragraphs(lines):
    """Yields (line number, text) for each paragraph of the lines. Paragraphs end at empty lines, samples and list
    items."""
    block, begin = [], 0
    for number, line in [*lines, (0, "")]:
        is_item = re.match(r"\s*(?:[-*]|\d+\.) ", line)
        if not line.strip() or SAMPLE.search(line) and not is_item or is_item:
            if block:
                yield begin, " ".join(block)
            block = []
        if line.strip() and (is_item or not SAMPLE.search(line)):
            begin = begin if block else number
            block.append(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", line.strip()))


def comments(text, mark):
    """Yields (line number, text) for each paragraph of full-line comments, and for each trailing comment."""
    block = []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if whole := COMMENT[mark].match(line):
            block.append((number, whole[1] or ""))
            continue
        yield from paragraphs(block)
        block = []
        if trailing := TRAILING[mark].search(line):
            yield number, trailing[1]


def docstrings(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            begin = node.body[0].lineno
            yield from paragraphs(enumerate(ast.get_docstring(node).splitlines(), begin))


def words_of(name):
    """Returns "Waits for etcd" for "WaitsForEtcd", and "waits for etcd" for "test_waits_for_etcd"."""
    name = name.removeprefix("test_").replace("_", " ")
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return spaced[:1] + spaced[1:].lower()


def page_paragraphs(text):
    """Yields paragraphs and headings without code blocks and inline code, whose content is not prose."""
    text = FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)
    text = re.sub(r"`[^`\n]*`", "X", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    lines = [(number, re.sub(r"^#+ ", "", line) + ("\n" if line.startswith("#") else ""))
             for number, line in enumerate(text.splitlines(), 1)]
    yield from paragraphs([pair for line in lines for pair in ([line, (0, "")] if "\n" in line[1] else [line])])


def texts_of(name, text):
    """Returns all prose of one file; empty for other kinds of files."""
    found = []
    if CPP.search(name):
        found += [Text(f"{name}:{number}", "comment", one) for number, one in comments(text, "//")]
        found += [Text(name, "test name", words_of(one)) for one in CPP_TEST.findall(text)]
    elif HASH.search(name) or text.startswith("#!"):
        found += [Text(f"{name}:{number}", "comment", one) for number, one in comments(text, "#")]
        if name.endswith(".py"):
            found += [Text(f"{name}:{number}", "comment", one) for number, one in docstrings(text)]
            found += [Text(name, "test name", words_of(one)) for one in PYTHON_TEST.findall(text)]
    elif name.endswith(".md"):
        found += [Text(f"{name}:{number}", "page", one) for number, one in page_paragraphs(text)]
    return found


def files():
    names = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, capture_output=True, text=True, check=True).stdout
    return [name for name in names.split("\0") if name and (TOP / name).is_file()]


@functools.cache
def all_texts():
    return [one for name in files() for one in texts_of(name, (TOP / name).read_bytes().decode("utf-8", "ignore"))]
