#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the text of a terminal as a picture: docs/terminal.py "COMMAND" <TEXT >docs/assets/NAME.svg"""

import sys
from xml.sax.saxutils import escape

CHARACTER, LINE, MARGIN, BAR = 7.8, 18, 16, 30  # widths and heights in pixels
DOTS = ("#ff5f57", "#febc2e", "#28c840")


def picture(command, text):
    """Returns an SVG with the command and its output, on a dark window that is readable on any page."""
    lines = [f"$ {command}", *text.rstrip("\n").split("\n")]
    width = round(max(map(len, lines)) * CHARACTER + 2 * MARGIN)
    height = BAR + len(lines) * LINE + MARGIN
    dots = "".join(f'<circle cx="{18 + 18 * place}" cy="15" r="5" fill="{color}"/>' for place, color in enumerate(DOTS))
    rows = "\n".join(f'<text x="{MARGIN}" y="{BAR + (number + 1) * LINE - 4}">{escape(line)}</text>'
                     for number, line in enumerate(lines) if line)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
            "<style>text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #d8dee9; white-space: pre }</style>\n"
            f'<rect width="{width}" height="{height}" rx="8" fill="#1e2430"/>{dots}\n{rows}\n</svg>\n')


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(picture(sys.argv[1], sys.stdin.read()))
