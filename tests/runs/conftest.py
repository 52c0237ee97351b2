"""Whole runs of the command on studies with several judges, prompts, temperatures and replicates."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from quorate.cli import main

TESTS = Path(__file__).parents[1]
COMMAND = "import sys; from quorate.cli import main; sys.exit(main())"
PRICE = {"input": 10.0, "output": 20.0}


class Server:
    """A program of `tests/collect` that serves on loopback, in a process of its own."""

    def __init__(self, program, *options):
        call = [sys.executable, TESTS / program, *map(str, options)]
        self.process = subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def ask(self, path):
        import urllib.request

        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=30) as answer:
            return json.load(answer)

    def counts(self):
        return Counter(self.ask("counts"))

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def serve():
    """A function that starts a server, which ends with the test."""
    started = []

    def start(program="loopback.py", *options):
        started.append(Server(program, *options))
        return started[-1]

    yield start
    for server in started:
        server.end()


@pytest.fixture(scope="session")
def hostile_server():
    """A hostile server for tests that do not look at its counts."""
    server = Server("hostile.py", "--seconds", 900)
    yield server
    server.end()


@pytest.fixture
def panel(tmp_path):
    """A function that writes a study of ``items`` x 2 judges x 2 prompts x 2 temperatures x ``replicates``."""

    def write(port, items, replicates=1, /, *, behaviour="v1", rows=None, judge=(), **changes):
        rows = rows or [{"id": f"q{n}", "prompt": f"What is {n} + {n}?", "response": f"{2 * n}."} for n in range(items)]
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / "items.jsonl").write_text(lines, encoding="utf-8")
        settings = {"kind": "endpoint", "base_url": f"http://127.0.0.1:{port}/{behaviour}", "concurrency": 16}
        settings |= {"params": {"max_tokens": 20}, "price": PRICE, **dict(judge)}
        content = {
            "items": "items.jsonl",
            "judges": {name: {**settings, "model": name} for name in ("a", "b")},
            "prompts": ["score", "score-reasoned"],
            "temperatures": [0, 0.7],
            "replicates": replicates,
            "budget": {"calls": 100_000},
        }
        path = tmp_path / "study.yaml"
        kept = {name: value for name, value in {**content, **changes}.items() if value is not None}
        path.write_text(json.dumps(kept), encoding="utf-8")  # JSON is YAML, without aliases
        assert yaml.safe_load(path.read_text(encoding="utf-8")) == kept
        return path

    return write


@pytest.fixture
def goal(panel):
    """A function that writes a study that finds out which of two systems is better, of ``items`` of each."""

    def write(port, items=60, /, **changes):
        rows = [
            {"id": f"q{n}", "s": system, "prompt": f"What is {n}?", "response": f"{words} {n}"}
            for n in range(items)
            for system, words in (("x", "a better one,"), ("y", "one,"))
        ]
        asked = {"compare": ["x", "y"], "margin": 0.6}
        own = {"items": {"file": "items.jsonl", "system": "s"}, "goal": asked, "looks": 4, "prompts": ["score"]}
        own |= {"temperatures": None, "replicates": None, "budget": {"calls": 800}, **changes}
        return panel(port, items, rows=rows, **own)

    return write


@pytest.fixture
def start(tmp_path):
    """A function that starts the command in a process of its own, which ends with the test."""
    started = []

    # In the background of a shell Ctrl-C is ignored, and what is started there inherits that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def popen(*words, code=COMMAND, prefix=(), stdin=subprocess.DEVNULL, **environment):
        call = [*prefix, sys.executable, "-c", code, *map(str, words)]
        pipes = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(call, cwd=tmp_path, env={**os.environ, "COLUMNS": "200", **environment}, **pipes)
        started.append(process)
        return process

    yield popen
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """A function that runs the command in this process: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*words):
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Ran(code, *capsys.readouterr())

    return run


def ended(process, seconds=120):
    """Exit code, output and errors of a process that is about to end."""
    out, err = process.communicate(timeout=seconds)
    assert "Traceback" not in err
    return Ran(process.returncode, out, err)


@pytest.fixture(name="ended", scope="session")
def _ended():
    return ended


@pytest.fixture(scope="session")
def ask():
    """A function that reads a ledger."""

    def rows(path, query):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=30)) as connection:
            return connection.execute(query).fetchall()

    return rows
