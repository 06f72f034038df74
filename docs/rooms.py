#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the libraries of the code as docs/rooms.svg, from the room() calls of CMakeLists.txt.

    docs/rooms.py            write the drawing (./dev docs does it, too)
    docs/rooms.py --check    fail when it is not the one that would be written
"""

import dataclasses
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DRAWING = HERE / "rooms.svg"
WIDTH, MARGIN, LABEL = 1100, 16, 150
BOX, GAP, LINE = 172, 12, 14
ROW_WORDS = 26  # characters of small text in a box
COLOURS = ("#e8eaf6", "#e3f2fd", "#e0f7fa", "#e0f2f1", "#e8f5e9", "#fffde7", "#fff3e0", "#fbe9e7", "#fce4ec")


@dataclasses.dataclass(frozen=True)
class Floor:
    name: str
    title: str


@dataclasses.dataclass
class Room:
    name: str
    floor: Floor
    uses: list


def rooms(text):
    """The libraries in the order of the list; a comment and floor(NAME) begin each layer."""
    found, floor = [], None
    calls = re.compile(r"^# ([^\n]+)\nfloor\((\w+)\)$|^room\(([^)]*)\)", re.MULTILINE)
    for match in calls.finditer(text):
        if match[2]:
            floor = Floor(match[2], match[1])
            continue
        name, *words = match[3].split()
        uses = []
        if "DEPENDS" in words:
            uses = words[words.index("DEPENDS") + 1 :]
            uses = uses[: next((i for i, word in enumerate(uses) if word.isupper()), len(uses))]
        found.append(Room(name, floor, uses))
    return found


def wrapped(words):
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > ROW_WORDS:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def box(room, x, y, height):
    lines = wrapped(room.uses) if room.uses else ["–"]
    small = "".join(
        f'<text x="{x + 10}" y="{y + 38 + LINE * i}" class="uses">{line}</text>'
        for i, line in enumerate(lines)
    )
    return (
        f'<g id="room-{room.name}"><rect x="{x}" y="{y}" width="{BOX}" height="{height}" rx="6" class="room"/>'
        f'<text x="{x + 10}" y="{y + 20}" class="name">{room.name}</text>{small}</g>'
    )


def band(floor, colour, members, y):
    """One layer, as parts and its height."""
    per_row = (WIDTH - LABEL - MARGIN) // (BOX + GAP)
    rows = [members[i : i + per_row] for i in range(0, len(members), per_row)]
    parts, top = [], y + GAP
    for row in rows:
        height = 34 + LINE * max(len(wrapped(room.uses)) for room in row)
        parts += [box(room, LABEL + (BOX + GAP) * i, top, height) for i, room in enumerate(row)]
        top += height + GAP
    label = "".join(
        f'<text x="{MARGIN + 10}" y="{y + 48 + LINE * i}" class="uses">{line}</text>'
        for i, line in enumerate(_label_lines(floor.title))
    )
    frame = (
        f'<rect x="{MARGIN / 2}" y="{y}" width="{WIDTH - MARGIN}" height="{top - y}" rx="8" fill="{colour}"/>'
        f'<text x="{MARGIN + 10}" y="{y + 28}" class="name">{floor.name}</text>{label}'
    )
    return [frame, *parts], top - y


def _label_lines(title):
    lines = [""]
    for word in title.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > 18:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def drawing(all_rooms):
    parts, y = [], MARGIN / 2
    floors = list(dict.fromkeys(room.floor for room in all_rooms))
    for floor, colour in reversed(list(zip(floors, COLOURS, strict=True))):
        members = [room for room in all_rooms if room.floor == floor]
        new, height = band(floor, colour, members, y)
        parts += new
        y += height + MARGIN / 2
    style = (
        "text{font-family:system-ui,sans-serif;fill:#212121}.name{font-size:15px;font-weight:600}"
        ".uses{font-size:11px;fill:#555}.room{fill:#fff;stroke:#90a4ae}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:.0f}" role="img" '
        f'aria-label="The rooms of the code by floor; in each, the rooms that it may include">'
        f'<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def main():
    wanted = drawing(rooms((HERE.parent / "CMakeLists.txt").read_text()))
    if "--check" in sys.argv[1:]:
        if not DRAWING.exists() or DRAWING.read_text() != wanted:
            raise SystemExit("docs/rooms.svg does not show the rooms of CMakeLists.txt: run docs/rooms.py")
        return
    DRAWING.write_text(wanted)


if __name__ == "__main__":
    main()
