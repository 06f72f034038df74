# SPDX-License-Identifier: Apache-2.0
"""Timelines in a real browser, in the widths of a desktop and of a phone, light and dark.

Screenshots are kept in build/screenshots.
"""

import os
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
KUBEADM = os.environ.get("KUBEADM", TOP / "build/bin/kubeadm")
PICTURES = TOP / "build" / "screenshots"

# The page measures itself, and writes the results into the document that is dumped.
MEASURE = """<script>
const shown = [...document.querySelectorAll("svg")].filter(svg => svg.getBoundingClientRect().width);
const root = document.documentElement;
root.dataset.shown = shown.map(svg => svg.classList[1]).join(" ");
root.dataset.overflow = root.scrollWidth > window.innerWidth;
root.dataset.outside = shown.flatMap(svg => [...svg.querySelectorAll("text")].filter(text => {
  const box = text.getBoundingClientRect(), all = svg.getBoundingClientRect();
  return box.left < all.left - 1 || box.right > all.right + 1;
})).map(text => text.textContent).join(", ");
root.dataset.smallest = Math.min(...shown.flatMap(svg => [...svg.querySelectorAll("text")].map(
  text => text.getBoundingClientRect().height)));
root.dataset.ink = getComputedStyle(shown[0].querySelector("text.name")).fill;
</script></body>"""


def browser(*arguments):
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    return subprocess.run(
        [*command, *arguments], capture_output=True, text=True, timeout=300, check=True
    ).stdout


@pytest.mark.parametrize(
    "name, width, shape, scheme",
    [
        ("init", 1280, "wide", "light"),
        ("init", 500, "narrow", "dark"),
        ("failed-join", 1280, "wide", "dark"),
        ("failed-join", 500, "narrow", "light"),
    ],
)
def test_the_timeline_page_fits_its_width(tmp_path, name, width, shape, scheme):
    page = tmp_path / "timeline.html"
    events = HERE / "testdata" / f"{name}.json"
    subprocess.run([KUBEADM, "events", "render", events, "-o", page], check=True)
    page.write_text(page.read_text().replace("</body>", MEASURE))
    flags = [f"--window-size={width},1600", *(["--force-dark-mode"] if scheme == "dark" else [])]
    document = browser(*flags, "--dump-dom", page.as_uri())
    PICTURES.mkdir(parents=True, exist_ok=True)
    picture = PICTURES / f"timeline-{name}-{shape}-{scheme}.png"
    browser(*flags, f"--screenshot={picture}", page.as_uri())
    seen = dict(re.findall(r'data-(\w+)="([^"]*)"', re.search("<html[^>]*>", document)[0]))
    assert seen["shown"] == shape
    assert seen["overflow"] == "false"
    assert seen["outside"] == ""
    assert float(seen["smallest"]) >= 10
    assert seen["ink"] == {"light": "rgb(31, 35, 40)", "dark": "rgb(230, 237, 243)"}[scheme]
