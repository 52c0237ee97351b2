"""Ledgers on slow, small and foreign disks: two runners go on where one of them was ended by a disk that was full."""

from __future__ import annotations

import mmap
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
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


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
from quorate.cli import main
sys.exit(main(["run", sys.argv[1], "--yes"]))
"""


def check_full(ran, path, server, ask, before):
    """One line; what there was before is there; every request that was sent is in the ledger."""
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert ran.err.startswith(f"quorate: ledger: {path.with_suffix('.db')}: ")
    assert "disk" in ran.err
    answered = set(ask(path.with_suffix(".db"), "SELECT id, accepted FROM cells WHERE state = 'done'"))
    assert before <= answered
    calls, reserved = ask(path.with_suffix(".db"), "SELECT calls, reserved FROM spend")[0]
    assert server.counts().total() <= calls + reserved
    return answered


def check_whole(ran, path, server, ask, cells, before):
    assert (ran.code, ran.err) == (0, "")
    ledger = path.with_suffix(".db")
    assert before <= set(ask(ledger, "SELECT id, accepted FROM cells WHERE state = 'done'"))
    assert ask(ledger, "SELECT count(*), count(DISTINCT cell) FROM attempts WHERE status = 'ok'") == [(cells, cells)]
    found = Counter(dict(ask(ledger, "SELECT status, count(*) FROM attempts GROUP BY status")))
    assert cells <= server.counts().total() <= found.total()
    assert found.keys() <= {"ok", "lost"}


@pytest.mark.slow
@pytest.mark.fault("the disk is full")
def test_no_pages_left(panel, serve, command, ask, monkeypatch):
    server, connect = serve("loopback.py", 0.01, 60), sqlite3.connect
    path = panel(server.port, 40, budget={"calls": 40})
    assert command("run", path, "--yes").code == 2
    path = panel(server.port, 40)
    ((pages,),) = ask(path.with_suffix(".db"), "PRAGMA page_count")
    before = set(ask(path.with_suffix(".db"), "SELECT id, accepted FROM cells WHERE state = 'done'"))

    def limited(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        return connection

    monkeypatch.setattr(sqlite3, "connect", limited)
    ran = command("run", path, "--yes")
    assert "the disk is full; everything recorded so far is kept" in ran.err
    monkeypatch.setattr(sqlite3, "connect", connect)
    before = check_full(ran, path, server, ask, before)
    check_whole(command("run", path, "--yes"), path, server, ask, 320, before)


@pytest.mark.slow
@pytest.mark.parametrize("size", [300_000, 600_000])
@pytest.mark.fault("the disk is full")
def test_no_file_may_grow(panel, serve, start, ended, command, ask, size):
    server = serve("loopback.py", 0.01, 60)
    path = panel(server.port, 100)
    ran = ended(start(path, size, code=LIMITED))
    before = check_full(ran, path, server, ask, set())
    check_whole(command("run", path, "--yes"), path, server, ask, 800, before)


RUN = '"$2" -c "import sys; from quorate.cli import main; sys.exit(main(sys.argv[1:]))"'
SMALL = f"""
mount -t tmpfs -o size=$4k none "$1" && cp study.yaml items.jsonl "$1" && cd "$1"
{RUN} run study.yaml --yes
echo "code $?"
mount -o remount,size=64m none .
{RUN} run study.yaml --yes
echo "code $?"
cp study.db "$3"
"""
GROWING = f"""
mount -t tmpfs -o size=$4k none "$1" && cp study.yaml items.jsonl "$1" && cd "$1"
for size in 440 500 600 64000; do
  {RUN} run study.yaml --yes
  echo "code $?"
  {RUN} status study.yaml >/dev/null
  mount -o "remount,size=${{size}}k" none .
done
{RUN} run study.yaml --yes
echo "code $?"
cp study.db "$3"
"""


def on_disk(script, size, folder):
    """Lines with exit codes, and errors, of a script on a disk of so many kB; the ledger is copied to ``copy.db``."""
    if subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode:
        pytest.skip("needs a system on which a user may mount a file system of their own")
    (folder / "disk").mkdir()
    call = ["unshare", "-rm", "sh", "-c", script, "sh", "disk", sys.executable, folder / "copy.db", str(size)]
    ran = subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert "Traceback" not in ran.stderr
    return [line for line in ran.stdout.splitlines() if line.startswith("code")], ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize("size", [400, 900])
@pytest.mark.fault("the disk is full")
def test_a_small_disk(panel, serve, ask, tmp_path, size):
    server = serve("loopback.py", 0.01, 120)
    panel(server.port, 100)
    codes, said = on_disk(SMALL, size, tmp_path)
    assert codes == ["code 1", "code 0"]
    assert said.count("\n") == 1
    assert "study.db: the disk is full; everything recorded so far is kept" in said
    copy = tmp_path / "copy.db"
    assert ask(copy, "SELECT count(*), count(DISTINCT cell) FROM attempts WHERE status = 'ok'") == [(800, 800)]
    assert 800 <= server.counts().total() <= ask(copy, "SELECT calls FROM spend")[0][0]


@pytest.mark.slow
@pytest.mark.fault("the disk is full")
def test_a_goal_is_pursued_on_a_disk_that_fills_and_is_emptied_again(goal, serve, ask, tmp_path):
    server = serve("loopback.py", 0.01, 300)
    server.ask("spread/6")
    goal(server.port, 200, budget={"calls": 2000}, goal={"half_width": 0.15})
    codes, said = on_disk(GROWING, 400, tmp_path)
    assert "code 1" in codes
    assert codes[-1] in ("code 0", "code 2"), said
    copy = tmp_path / "copy.db"
    assert ask(copy, "SELECT 1 FROM attempts WHERE status = 'ok' GROUP BY cell HAVING count(*) > 1") == []
    spent, lost, reserved = ask(copy, "SELECT calls, lost, reserved FROM spend")[0]
    assert (spent, reserved) == (ask(copy, "SELECT count(*) FROM attempts WHERE status <> 'unsent'")[0][0], 0)
    assert spent - lost <= server.counts().total() <= spent <= 2000
