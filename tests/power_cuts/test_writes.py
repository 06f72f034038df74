# SPDX-License-Identifier: Apache-2.0
"""The log of writes is read in the format of dm-log-writes, and a cut keeps all flushed writes."""

import pytest

from power_cuts.writes import DISCARD, ENTRY, FLUSH, FUA, HEADER, LOST, MAGIC, SECTOR, Cut, Disk, choose, entries

SIZE = 8 * SECTOR


def log_of(path, *written):
    """Writes a log of (sector, data, flags). data is a letter, which fills a sector, or empty."""
    with open(path, "wb") as log:
        log.write(HEADER.pack(MAGIC, 1, len(written), SECTOR).ljust(SECTOR, b"\0"))
        for sector, letters, flags in written:
            log.write(ENTRY.pack(sector, len(letters), flags, 0).ljust(SECTOR, b"\0"))
            log.write(b"" if flags & DISCARD else b"".join(letter.encode() * SECTOR for letter in letters))
    return path


def shown(path):
    """Returns a letter for each sector, and a dot for a sector of zeros."""
    content = path.read_bytes()
    return "".join(chr(content[at] or ord(".")) for at in range(0, len(content), SECTOR))


def after(tmp_path, cut, *written):
    disk = Disk(log_of(tmp_path / "log", *written), tmp_path / "disk", SIZE)
    disk.cut(cut, tmp_path / "image")
    return shown(tmp_path / "image")


WRITTEN = [(0, "ab", 0), (0, "", FLUSH), (2, "c", 0), (3, "d", FUA), (0, "e", 0), (0, "", FLUSH), (1, "x", DISCARD)]


@pytest.mark.parametrize(
    ("position", "lost", "expected"),
    [
        (0, LOST[0], "........"),
        (1, LOST[0], "........"),
        (1, LOST[2], "ab......"),
        (2, LOST[0], "ab......"),
        (5, LOST[0], "ab.d...."),
        (5, LOST[2], "ebcd...."),
        (6, LOST[0], "ebcd...."),
        (7, LOST[0], "ebcd...."),
        (7, LOST[2], "e.cd...."),
    ],
)
def test_a_cut_keeps_what_was_flushed(tmp_path, position, lost, expected):
    assert after(tmp_path, Cut(position, lost), *WRITTEN) == expected


def test_a_cut_that_loses_some_writes_is_the_same_again(tmp_path):
    images = {after(tmp_path, Cut(5, LOST[1], seed), *WRITTEN) for seed in range(20) for _ in range(2)}
    assert images == {"ab.d....", "ebcd....", "abcd....", "eb.d...."}


def test_cuts_come_in_order(tmp_path):
    disk = Disk(log_of(tmp_path / "log", *WRITTEN), tmp_path / "disk", SIZE)
    disk.cut(Cut(6, LOST[0]), tmp_path / "image")
    with pytest.raises(ValueError, match="position 2 lies before 5"):
        disk.cut(Cut(2, LOST[0]), tmp_path / "image")


def test_another_format_is_refused(tmp_path):
    (tmp_path / "log").write_bytes(b"\0" * SECTOR)
    with pytest.raises(ValueError, match="not a log of writes"):
        entries(tmp_path / "log")


@pytest.mark.parametrize("changes", [[], [11], list(range(10, 500, 7))])
def test_as_many_cuts_are_chosen_as_asked_for(changes):
    cuts = choose(10, 1000, changes, 40)
    assert len(cuts) == 40
    assert all(10 < cut.position <= 1000 for cut in cuts)
    assert [cut.position for cut in cuts] == sorted({cut.position for cut in cuts})
    assert {cut.lost for cut in cuts} == set(LOST)
