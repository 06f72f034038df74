# SPDX-License-Identifier: Apache-2.0
"""The log of a disk's writes and flushes, in the format of Linux's dm-log-writes, and the disk after a power cut.

The log's first sector describes the log. Each entry has one sector (position, length and flags, in sectors), followed
by the entry's data.
"""

import dataclasses
import os
import random
import struct
import subprocess

SECTOR = 512
MAGIC = 0x6A736677736872
HEADER = struct.Struct("<QQQI")  # magic number, version, number of entries, size of a sector
ENTRY = struct.Struct("<QQQQ")  # first sector, number of sectors, flags, length of a mark
FLUSH, FUA, DISCARD = 1, 2, 4

# The fate of the writes since the last flush.
LOST = ("all are lost", "some are lost", "none is lost")


@dataclasses.dataclass(frozen=True)
class Write:
    """An entry: `data` is the offset of its data in the log; `count` is 0 for a flush without data."""

    sector: int
    count: int
    flags: int
    data: int


@dataclasses.dataclass(frozen=True)
class Cut:
    """A power cut after the first `position` entries, and the fate of the entries that were not flushed."""

    position: int
    lost: str
    seed: int = 0

    def __str__(self):
        return f"cut after write {self.position}; of the writes since the last flush {self.lost} (seed {self.seed})"


def recorded(path):
    """Returns the present number of entries; the recorder updates it with each entry."""
    with open(path, "rb") as log:
        return HEADER.unpack(log.read(HEADER.size))[2]


def entries(path):
    """Returns all entries of a log. Raises ValueError for another format."""
    found = []
    with open(path, "rb") as log:
        magic, version, number, sector = HEADER.unpack(log.read(HEADER.size))
        if (magic, version, sector) != (MAGIC, 1, SECTOR):
            raise ValueError(f"{path}: not a log of writes: magic {magic:x}, version {version}, sectors of {sector}")
        offset = SECTOR
        for _ in range(number):
            log.seek(offset)
            place, count, flags, _ = ENTRY.unpack(log.read(ENTRY.size))
            offset += SECTOR
            found.append(Write(place, count, flags, offset))
            offset += 0 if flags & DISCARD else count * SECTOR
    return found


class Disk:
    """The content of the disk after a part of its writes: `cut` applies writes up to a position and copies the disk."""

    def __init__(self, log, path, size):
        self.log = log
        self.path = path
        self.writes = entries(log)
        self._done = 0  # number of entries that the file contains
        with open(path, "wb") as file:
            file.truncate(size)

    def cut(self, cut, target):
        """Writes the disk after this cut to `target`. Cuts must come in the order of their positions."""
        durable = self._last_flush(cut.position)
        self._apply(self.path, self.writes[self._done : durable])
        self._done = durable
        subprocess.run(["cp", "--sparse=always", self.path, target], check=True)
        self._apply(target, survivors(self.writes[durable : cut.position], cut))

    def _last_flush(self, position):
        """Returns the number of entries that are durable at that position: the entries before the last flush."""
        if position < self._done:
            raise ValueError(f"position {position} lies before {self._done}")
        flushes = (at for at in range(position - 1, self._done - 1, -1) if self.writes[at].flags & FLUSH)
        return next(flushes, self._done)

    def _apply(self, path, writes):
        with open(self.log, "rb") as log, open(path, "r+b") as disk:
            for write in writes:
                if write.flags & DISCARD:
                    os.pwrite(disk.fileno(), bytes(write.count * SECTOR), write.sector * SECTOR)
                elif write.count:
                    data = os.pread(log.fileno(), write.count * SECTOR, write.data)
                    os.pwrite(disk.fileno(), data, write.sector * SECTOR)


def survivors(writes, cut):
    """Returns the writes since the last flush that this cut leaves. Writes with FUA are always durable."""
    if cut.lost == LOST[2]:
        return writes
    draw = random.Random(cut.seed)
    return [write for write in writes if write.flags & FUA or (cut.lost == LOST[1] and draw.random() < 0.5)]


def choose(begin, end, changes, number):
    """Returns `number` cuts between two positions. Half of them are near positions at which files changed, and the
    others are spread evenly. The fate of unflushed writes alternates."""
    draw = random.Random(begin * 31 + end)
    near = [position for position in changes if begin < position < end]
    picked = {
        min(max(near[at * len(near) // (number // 2)] + draw.randint(-3, 3), begin + 1), end)
        for at in range(number // 2)
        if near
    }
    place = 0
    while len(picked) < min(number, end - begin):
        picked.add(begin + 1 + round((place + 0.5) * (end - begin) / number) % (end - begin))
        place += 1 if place < number else 0.37
    return [Cut(position, LOST[at % len(LOST)], at) for at, position in enumerate(sorted(picked))]
