"""A disk that is full ends a run in one line; what was recorded stays, and with room the run goes on."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections import Counter

import pytest

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


FULL = """
mount -t tmpfs -o size={size}k none "$1" && cp study.yaml items.jsonl "$1" && cd "$1"
"$2" -c "import sys; from quorate.cli import main; sys.exit(main(sys.argv[1:]))" run study.yaml --yes
echo "code $?"
mount -o remount,size=64m none .
"$2" -c "import sys; from quorate.cli import main; sys.exit(main(sys.argv[1:]))" run study.yaml --yes
echo "code $?"
cp study.db "$3"
"""


@pytest.mark.slow
@pytest.mark.parametrize("size", [400, 900])
@pytest.mark.fault("the disk is full")
def test_a_small_disk(panel, serve, ask, tmp_path, size):
    if subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode:
        pytest.skip("needs a system on which a user may mount a file system of their own")
    server = serve("loopback.py", 0.01, 120)
    panel(server.port, 100)
    (tmp_path / "disk").mkdir()
    call = ["unshare", "-rm", "sh", "-c", FULL.format(size=size), "sh", "disk", sys.executable, tmp_path / "copy.db"]
    ran = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert [line for line in ran.stdout.splitlines() if line.startswith("code")] == ["code 1", "code 0"]
    assert ran.stderr.count("\n") == 1
    assert "study.db: the disk is full; everything recorded so far is kept" in ran.stderr
    copy = tmp_path / "copy.db"
    assert ask(copy, "SELECT count(*), count(DISTINCT cell) FROM attempts WHERE status = 'ok'") == [(800, 800)]
    assert 800 <= server.counts().total() <= ask(copy, "SELECT calls FROM spend")[0][0]
