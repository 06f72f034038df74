#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the libraries of the code as docs/libraries.svg, from the library() calls of CMakeLists.txt.

    docs/libraries.py            write the drawing (./dev docs does it, too)
    docs/libraries.py --check    fail when it is not the one that would be written
"""

import dataclasses
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DRAWING = HERE / "libraries.svg"
WIDTH, MARGIN, LABEL = 1100, 16, 150
BOX, GAP, LINE = 172, 12, 14
ROW_WORDS = 26  # characters of small text in a box
COLOURS = ("#e8eaf6", "#e3f2fd", "#e0f7fa", "#e0f2f1", "#e8f5e9", "#fffde7", "#fff3e0", "#fbe9e7", "#fce4ec")


@dataclasses.dataclass(frozen=True)
class Layer:
    name: str
    title: str


@dataclasses.dataclass
class Library:
    name: str
    layer: Layer
    uses: list


def libraries(text):
    """The libraries in the order of the list; a comment and layer(NAME) begin each layer."""
    found, layer = [], None
    calls = re.compile(r"^# ([^\n]+)\nlayer\((\w+)\)$|^library\(([^)]*)\)", re.MULTILINE)
    for match in calls.finditer(text):
        if match[2]:
            layer = Layer(match[2], match[1])
            continue
        name, *words = match[3].split()
        uses = []
        if "DEPENDS" in words:
            uses = words[words.index("DEPENDS") + 1 :]
            uses = uses[: next((i for i, word in enumerate(uses) if word.isupper()), len(uses))]
        found.append(Library(name, layer, uses))
    return found


def wrapped(words):
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > ROW_WORDS:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def box(library, x, y, height):
    lines = wrapped(library.uses) if library.uses else ["–"]
    small = "".join(
        f'<text x="{x + 10}" y="{y + 38 + LINE * i}" class="uses">{line}</text>'
        for i, line in enumerate(lines)
    )
    return (
        f'<g id="library-{library.name}"><rect x="{x}" y="{y}" width="{BOX}" height="{height}" rx="6" class="library"/>'
        f'<text x="{x + 10}" y="{y + 20}" class="name">{library.name}</text>{small}</g>'
    )


def band(layer, colour, members, y):
    """One layer, as parts and its height."""
    per_row = (WIDTH - LABEL - MARGIN) // (BOX + GAP)
    rows = [members[i : i + per_row] for i in range(0, len(members), per_row)]
    parts, top = [], y + GAP
    for row in rows:
        height = 34 + LINE * max(len(wrapped(library.uses)) for library in row)
        parts += [box(library, LABEL + (BOX + GAP) * i, top, height) for i, library in enumerate(row)]
        top += height + GAP
    label = "".join(
        f'<text x="{MARGIN + 10}" y="{y + 48 + LINE * i}" class="uses">{line}</text>'
        for i, line in enumerate(_label_lines(layer.title))
    )
    frame = (
        f'<rect x="{MARGIN / 2}" y="{y}" width="{WIDTH - MARGIN}" height="{top - y}" rx="8" fill="{colour}"/>'
        f'<text x="{MARGIN + 10}" y="{y + 28}" class="name">{layer.name}</text>{label}'
    )
    return [frame, *parts], top - y


def _label_lines(title):
    lines = [""]
    for word in title.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > 18:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def drawing(all_libraries):
    parts, y = [], MARGIN / 2
    layers = list(dict.fromkeys(library.layer for library in all_libraries))
    for layer, colour in reversed(list(zip(layers, COLOURS, strict=True))):
        members = [library for library in all_libraries if library.layer == layer]
        new, height = band(layer, colour, members, y)
        parts += new
        y += height + MARGIN / 2
    style = (
        "text{font-family:system-ui,sans-serif;fill:#212121}.name{font-size:15px;font-weight:600}"
        ".uses{font-size:11px;fill:#555}.library{fill:#fff;stroke:#90a4ae}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:.0f}" role="img" '
        f'aria-label="The libraries of the code by layer; in each, the libraries that it may include">'
        f'<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def main():
    wanted = drawing(libraries((HERE.parent / "CMakeLists.txt").read_text()))
    if "--check" in sys.argv[1:]:
        if not DRAWING.exists() or DRAWING.read_text() != wanted:
            raise SystemExit("docs/libraries.svg does not show the libraries of CMakeLists.txt: run docs/libraries.py")
        return
    DRAWING.write_text(wanted)


if __name__ == "__main__":
    main()
