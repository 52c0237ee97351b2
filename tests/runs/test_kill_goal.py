"""Studies with a goal that are killed at any moment, or whose disk fills: they decide as if nothing had happened."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import pytest

TWICE = "SELECT count(*) FROM attempts WHERE status = 'ok' GROUP BY cell HAVING count(*) > 1"
LOOKS = "SELECT number, json_extract(content, '$.look.outcome') FROM looks ORDER BY number"


@pytest.fixture
def stages(panel):
    """A function that writes a study of votes in two stages, of four types of items."""

    def write(port, calls, **changes):
        rows = [
            {"id": f"q{n}", "kind": f"k{n % 4}", "prompt": f"What is {n}?", "response_a": "a", "response_b": "b"}
            | {"a": "x", "b": "y"}
            for n in range(200)
        ]
        items = {"file": "items.jsonl", "system_a": "a", "system_b": "b", "category": "kind"}
        own = {"items": items, "goal": {"prefer": ["x", "y"], "stages": 2, "per_type": 8}, "prompts": ["pairwise"]}
        own |= {"temperatures": None, "replicates": None, "budget": {"calls": calls}, **changes}
        return panel(port, 200, rows=rows, **own)

    return write


def killed_often(start, server, path, rng, *, kills):
    """Start and kill runs; how many were killed."""
    done = 0
    for _ in range(kills):
        process, before = start("run", path, "--yes"), server.counts().total()
        while process.poll() is None and server.counts().total() == before:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.4))
        done += process.poll() is None
        process.kill()
        process.wait()
    return done


def check(ask, ledger, server, calls):
    """Nothing twice, nothing unaccounted for, nothing beyond the cap."""
    assert ask(ledger, TWICE) == []
    spent, lost, reserved = ask(ledger, "SELECT calls, lost, reserved FROM spend")[0]
    assert (spent, reserved) == (ask(ledger, "SELECT count(*) FROM attempts WHERE status <> 'unsent'")[0][0], 0)
    assert spent - lost <= server.counts().total() <= spent <= calls


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
@pytest.mark.parametrize("kills", [2, 5])
def test_a_goal_is_pursued_to_its_end_however_often_its_runs_are_killed(goal, serve, start, command, ask, kills):
    server, rng = serve("loopback.py", 0.1, 400), random.Random(kills)
    server.ask("spread/6")
    path = goal(server.port, 100, judge={"concurrency": 8}, budget={"calls": 1500}, goal={"half_width": 0.2})
    assert killed_often(start, server, path, rng, kills=kills) > 0
    ran = command("run", path, "--yes")
    assert ran.code in (0, 2), ran.err
    ledger = path.with_suffix(".db")
    check(ask, ledger, server, 1500)
    looks = ask(ledger, LOOKS)
    assert [number for number, _ in looks] == list(range(1, len(looks) + 1))
    assert (command("status", path).code, command("run", path, "--yes").code) == (ran.code, ran.code)
    assert ask(ledger, LOOKS) == looks


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
@pytest.mark.parametrize("kills", [2, 5])
def test_two_stages_are_two_however_often_their_runs_are_killed(stages, serve, start, command, ask, kills):
    server, rng = serve("loopback.py", 0.1, 400), random.Random(kills)
    path = stages(server.port, 300, judge={"concurrency": 8})
    assert killed_often(start, server, path, rng, kills=kills) > 0
    ran = command("run", path, "--yes")
    assert ran.code in (0, 2), ran.err
    check(ask, path.with_suffix(".db"), server, 300)
    assert 0 < len(ask(path.with_suffix(".db"), LOOKS)) <= 2


FULL = """
mount -t tmpfs -o size=400k none "$1" && cp study.yaml items.jsonl "$1" && cd "$1"
for size in 440 500 600 64000; do
  "$2" -c "import sys; from quorate.cli import main; sys.exit(main(sys.argv[1:]))" run study.yaml --yes
  echo "code $?"
  "$2" -c "import sys; from quorate.cli import main; sys.exit(main(sys.argv[1:]))" status study.yaml >/dev/null
  mount -o "remount,size=${size}k" none .
done
"$2" -c "import sys; from quorate.cli import main; sys.exit(main(sys.argv[1:]))" run study.yaml --yes
echo "code $?"
cp study.db "$3"
"""


@pytest.mark.slow
@pytest.mark.fault("the disk is full")
def test_a_goal_is_pursued_on_a_disk_that_fills_and_is_emptied_again(goal, serve, ask, tmp_path):
    if subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode:
        pytest.skip("needs a system on which a user may mount a file system of their own")
    server = serve("loopback.py", 0.01, 300)
    server.ask("spread/6")
    goal(server.port, 200, budget={"calls": 2000}, goal={"half_width": 0.15})
    (tmp_path / "disk").mkdir()
    copy = tmp_path / "copy.db"
    call = ["unshare", "-rm", "sh", "-c", FULL, "sh", "disk", sys.executable, copy]
    ran = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    codes = [line for line in ran.stdout.splitlines() if line.startswith("code")]
    assert "code 1" in codes, ran.stdout
    assert codes[-1] in ("code 0", "code 2"), ran.stderr
    assert "Traceback" not in ran.stderr
    check(ask, copy, server, 2000)
