#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""batches.py OUTPUT PREFIX SOURCE…: writes files that include some of the sources each, and prints their paths.

A compiler reads the headers once for each such file, which makes a build several times faster. Two sources that give
the same name another meaning in an unnamed namespace are never in one file. A source is alone if it gives a name of
a header of its directory another meaning. The sources are named relative to the project's directory.
"""
import pathlib
import re
import sys

MOST_LINES = 2500
IDENTIFIER = re.compile(r"(?<![\w:~])[A-Za-z_]\w*\s*$")
TYPE = re.compile(r"(?:template.*>\s*)?(?:struct|class|enum class|enum|union|concept)\s+(\w+)")
ALIAS = re.compile(r"using (?:[\w:]+::)?(\w+)(?: =|;)")
NO_DECLARATION = ("TEST", "INSTANTIATE", "MATCHER", "public:", "private:", "namespace", "template", "using")


def code(path):
    """The source without comments and literals."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    text = re.sub(r'R"(\w*~*)\((?:.|\n)*?\)\1"', '""', text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', re.sub(r"//[^\n]*", "", text))


def declared(lines, source):
    """The names that lines at the margin declare, without members: name → a text that is equal for equal meanings."""
    names = {}
    for line in lines:
        line = re.sub(r"^\[\[\w+\]\] ", "", line)
        if found := ALIAS.match(line):
            names[found[1]] = line
        elif found := TYPE.match(line):
            names[found[1]] = source
        elif not line[:1].isalpha() or line.startswith(NO_DECLARATION):
            continue
        elif found := IDENTIFIER.search(re.split(r"[({;=\[]", line)[0]):
            names[found[0].strip()] = source
    return names


def in_unnamed_namespace(text):
    """The lines between 'namespace {' and its end."""
    lines, inside = [], False
    for line in text.splitlines():
        if line.startswith("namespace {"):
            inside = True
        elif inside and line.startswith("}  "):
            inside = False
        elif inside:
            lines.append(line)
    return lines


def batches(sources):
    """Lists of sources that can be compiled as one, in the order of the sources."""
    public = {}
    for directory in sorted({pathlib.Path(source).parent for source in sources}):
        for header in directory.glob("*.h"):
            public |= declared(code(header).splitlines(), header)
    found = []
    for source in sources:
        text = code(source)
        names, lines = declared(in_unnamed_namespace(text), source), text.count("\n")
        alone = any(public.get(name, thing) != thing for name, thing in names.items())
        for batch in found:
            if (not alone and not batch["alone"] and batch["lines"] + lines <= MOST_LINES
                    and all(batch["names"].get(name, thing) == thing for name, thing in names.items())):
                break
        else:
            batch = {"sources": [], "names": {}, "lines": 0, "alone": alone}
            found.append(batch)
        batch["sources"].append(source)
        batch["names"] |= names
        batch["lines"] += lines
    return [batch["sources"] for batch in found]


def main():
    output, prefix, sources = pathlib.Path(sys.argv[1]), sys.argv[2], sorted(sys.argv[3:])
    output.mkdir(parents=True, exist_ok=True)
    for number, batch in enumerate(batches(sources)):
        path = output / f"{prefix}_{number}.cc"
        text = "".join(f'#include "{source}"\n' for source in batch)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        print(path)


if __name__ == "__main__":
    main()
