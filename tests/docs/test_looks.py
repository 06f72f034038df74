# SPDX-License-Identifier: Apache-2.0
"""The manual's pages in a real browser, in the widths of a phone and of a screen. Pictures are in build/shots."""

import shutil
import struct

import pytest

from docs.browser import Browser
from docs.fences import TOP

SITE = TOP / "build" / "site"
SHOTS = TOP / "build" / "shots"
WIDTHS = {"phone": 390, "desktop": 1280}
HEIGHT = 2400
PAGES = ("index", "install", "installers", "interfaces", "comparison", "errors", "architecture", "packages")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    program = shutil.which("chromium")
    if not program:
        pytest.skip("chromium is not installed (tests/docs/packages.txt)")
    if not (SITE / "index.html").exists():
        pytest.exit(f"{SITE} is missing: ./dev docs makes it", 3)
    SHOTS.mkdir(parents=True, exist_ok=True)
    with Browser(program, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.mark.parametrize("device", WIDTHS)
@pytest.mark.parametrize("page", PAGES)
def test_page_fits(browser, page, device):
    width, picture = WIDTHS[device], SHOTS / f"{page}-{device}.png"
    assert browser.look((SITE / f"{page}.html").as_uri(), width, HEIGHT, picture) <= width, "wider than the window"
    assert struct.unpack(">II", picture.read_bytes()[16:24]) == (width, HEIGHT)


def test_a_page_that_is_too_wide_is_noticed(browser, tmp_path):
    (tmp_path / "wide.html").write_text("<body style='margin:0'><div style='width:600px'>x</div></body>")
    assert browser.look((tmp_path / "wide.html").as_uri(), WIDTHS["phone"], HEIGHT, tmp_path / "wide.png") == 600
