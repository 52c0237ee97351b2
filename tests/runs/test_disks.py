"""Ledgers on slow, small and foreign disks: two runners go on where one of them was ended by a disk that was full."""

from __future__ import annotations

import mmap
import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import suppress

import pytest

from quorate.collect.ledger.ledger import Ledger

OPENED = """
import sys
from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidInput
try:
    with Ledger.open(sys.argv[1]) as ledger:
        ledger.spend()
except InvalidInput as error:
    sys.exit(f"quorate: {error}")
"""


def mounted(*words):
    """Whether a file system could be mounted."""
    return not subprocess.run(list(map(str, words)), check=False, capture_output=True).returncode


@pytest.fixture(
    params=[
        "every write waits for the disk",
        "a file system of another process",
        "blocks smaller than a page of memory",
    ]
)
def disk(request, tmp_path):
    """A folder on a file system of its own, with room for some megabytes."""
    if os.geteuid() or shutil.which("mkfs.ext4") is None:
        pytest.skip("needs root, who may mount file systems")
    image, below, place = tmp_path / "image", tmp_path / "below", tmp_path / "disk"
    below.mkdir()
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(32 << 20)
    block = "1024" if request.param.startswith("blocks") else "4096"  # a page of memory has 4096 bytes
    subprocess.run(["mkfs.ext4", "-q", "-b", block, "-m", "0", image], check=True)
    foreign = request.param == "a file system of another process"
    if foreign and shutil.which("bindfs") is None:
        pytest.skip("needs bindfs")
    if not mounted("mount", "-o", "loop,sync,noatime", image, below if foreign else place):
        pytest.skip("needs a system on which a file may be mounted")
    try:
        if foreign and not mounted("bindfs", below, place):
            pytest.skip("needs FUSE")
        yield place
    finally:
        for folder in (place, below):
            mounted("umount", "-l", folder)


def fill(place):
    """Take all the room there is."""
    with (place / "filler").open("wb", buffering=0) as file, suppress(OSError):  # no space left
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(place).free * 9 // 10)
        while True:
            file.write(bytes(1 << 14))


@pytest.mark.slow
@pytest.mark.fault("the disk fills and empties")
def test_a_disk_that_fills_and_empties_loses_nothing(panel, serve, start, ended, command, ask, disk, monkeypatch):
    """The system ends (SIGBUS) who writes to shared memory that got no room: with small blocks that may be a runner."""
    server, rng, said, cells = serve("loopback.py", 0.1, 600), random.Random(1), [], 800
    written = panel(server.port, 100, ledger=str(disk / "study.db"))
    path = shutil.move(written, disk / "study.yaml")
    shutil.move(written.parent / "items.jsonl", disk)
    monkeypatch.chdir(disk)
    running = []
    for _ in range(8):
        over = [one for one in running if one.poll() is not None]
        said += map(ended, over)
        running = [one for one in running if one not in over]
        if any(one.code == 0 for one in said):
            break
        running += [start("run", path, "--yes") for _ in range(2 - len(running))]
        time.sleep(rng.uniform(1.5, 3))
        fill(disk)
        if rng.random() < 0.3:
            running[0].kill()
        time.sleep(rng.uniform(0.2, 1))
        command("status", path)
        (disk / "filler").unlink()
    for one in running:
        said.append(ended(one))
    small = os.statvfs(disk).f_bsize < mmap.PAGESIZE
    assert {one.code for one in said} <= ({0, 1, -9, -signal.SIGBUS} if small else {0, 1, -9})
    for one in said:
        assert one.err.count("\n") <= 1, one.err
        assert one.code != 1 or "disk" in one.err, one.err
    ran = command("run", path, "--yes")
    assert (ran.code, ran.err) == (0, "")
    ledger = disk / "study.db"
    assert ask(ledger, "SELECT count(*), count(DISTINCT cell) FROM attempts WHERE status = 'ok'") == [(cells, cells)]
    assert cells <= server.counts().total() <= ask(ledger, "SELECT calls FROM spend")[0][0]
    assert not list(disk.glob("unsaved*"))


@pytest.mark.slow
@pytest.mark.fault("the disk fills and empties")
def test_blocks_smaller_than_a_page_of_memory_end_no_process(start, ended, tmp_path):
    """SQLite allocates one block of each page of its shared memory, and the system ends who writes to the others."""
    if os.geteuid() or shutil.which("mkfs.ext4") is None:
        pytest.skip("needs root, who may mount file systems")
    image, place = tmp_path / "image", tmp_path / "disk"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(8 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-b", "1024", "-m", "0", image], check=True)
    if not mounted("mount", "-o", "loop", image, place):
        pytest.skip("needs a system on which a file may be mounted")
    try:
        with Ledger.open(place / "study.db") as ledger:
            ledger.spend()
        for left in (0, 4, 7, 10, 40):
            with (place / "filler").open("wb", buffering=0) as file, suppress(OSError):
                os.posix_fallocate(file.fileno(), 0, (os.statvfs(place).f_bavail - left - 100) * 1024)
                file.seek(0, os.SEEK_END)
                while os.statvfs(place).f_bavail > left:
                    file.write(bytes(1024))
                    os.fsync(file.fileno())
            ran = ended(start(place / "study.db", code=OPENED))
            assert (ran.code, "the disk is full; everything recorded so far is kept" in ran.err) == (1, True), left
            (place / "filler").unlink()
        assert ended(start(place / "study.db", code=OPENED)).code == 0
    finally:
        mounted("umount", "-l", place)
