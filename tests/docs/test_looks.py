# SPDX-License-Identifier: Apache-2.0
"""The manual's pages in a real browser, as wide as a phone and as a screen; pictures in build/shots."""

import re
import shutil
import subprocess

import pytest

from docs.fences import TOP

SITE = TOP / "build" / "site"
SHOTS = TOP / "build" / "shots"
# A browser makes no window that is narrower than 500.
WIDTHS = {"phone": 500, "desktop": 1280}
PAGES = ("index", "errors", "architecture")
# Tells how wide the page came out, in a place where --dump-dom shows it.
MEASURE = ("<script>addEventListener('load', () => document.documentElement.setAttribute('data-widths', "
           "document.documentElement.scrollWidth + ' ' + innerWidth))</script></body>")


@pytest.fixture(scope="session")
def browser():
    program = shutil.which("chromium")
    if not program:
        pytest.skip("chromium is not installed (tests/docs/packages.txt)")
    if not (SITE / "index.html").exists():
        pytest.exit(f"{SITE} is missing: ./dev docs makes it", 3)
    SHOTS.mkdir(parents=True, exist_ok=True)
    return program


@pytest.mark.parametrize("device", WIDTHS)
@pytest.mark.parametrize("page", PAGES)
def test_page_fits(browser, page, device, tmp_path):
    measured = SITE / f"measured-{device}-{page}.html"
    measured.write_text((SITE / f"{page}.html").read_text().replace("</body>", MEASURE))
    try:
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                               f"--user-data-dir={tmp_path}", f"--window-size={WIDTHS[device]},2400",
                               f"--screenshot={SHOTS / f'{page}-{device}.png'}", "--dump-dom",
                               "--virtual-time-budget=3000", measured.as_uri()],
                              capture_output=True, text=True, check=True, timeout=300)
    finally:
        measured.unlink()
    found = re.search(r'data-widths="(\d+) (\d+)"', done.stdout)
    assert found, done.stderr
    assert int(found[1]) <= int(found[2]), "the page is wider than the window"
