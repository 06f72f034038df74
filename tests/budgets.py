#!/usr/bin/env python3
"""Budgets of the code, as checks: sizes of files, functions, parameter lists, and contracts.

Functions are measured by lizard's rule of thumb on the text: from the line of the signature to the
closing brace in the same column. clang-tidy holds what needs a parser.
"""
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
FILE_LINES, FUNCTION_LINES, FUNCTION_P90 = 500, 60, 40

# A function that begins in the first column or, in a class, two columns in.
BEGINS = re.compile(r"^(?:  )?[A-Za-z_~][^;={}]*\)(?: const)?(?: noexcept)?(?: override)?(?: try)? \{$")


def functions(lines):
    """(first line, number of lines) of each function."""
    for start, line in enumerate(lines):
        if not BEGINS.match(line) or line.lstrip().startswith(("if ", "for ", "while ", "switch ", "TEST")):
            continue
        first = start
        while first > 0 and lines[first - 1].strip() and not lines[first - 1].rstrip().endswith(
                ("}", ";", ":", "{")) and not lines[first - 1].lstrip().startswith("//"):
            first -= 1
        closing = line[: len(line) - len(line.lstrip())] + "}"
        for end in range(start + 1, len(lines)):
            if lines[end].startswith(closing):
                yield first + 1, end - first + 1
                break


def main():
    listed = subprocess.run(["git", "ls-files", "src", "fuzz", "tests"], cwd=TOP, capture_output=True,
                            text=True, check=True).stdout.split()
    complaints, sizes = [], []
    for name in listed:
        if not name.endswith((".cc", ".h")):
            continue
        lines = (TOP / name).read_text().splitlines()
        if len(lines) > FILE_LINES and not name.endswith("_test.cc"):
            complaints.append(f"{name}: {len(lines)} lines, at most {FILE_LINES}")
        if name.endswith("_test.cc"):
            continue
        for first, size in functions(lines):
            sizes.append(size)
            if size > FUNCTION_LINES:
                complaints.append(f"{name}:{first}: a function of {size} lines, at most {FUNCTION_LINES}")
    sizes.sort()
    p90 = sizes[len(sizes) * 9 // 10] if sizes else 0
    if p90 > FUNCTION_P90:
        complaints.append(f"nine functions in ten have up to {p90} lines, at most {FUNCTION_P90}")
    print("\n".join(complaints))
    print(f"{len(sizes)} functions, median {sizes[len(sizes) // 2]}, p90 {p90}, longest {sizes[-1]} lines")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
