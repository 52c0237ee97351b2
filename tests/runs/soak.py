"""A long study under mixed faults, and an account of what became of it; ``python tests/runs/soak.py --cells 50000``.

Several runners, each a process with ``quorate run``, share one ledger, in a file or in Postgres (``--postgres``), and
ask an endpoint that counts what it is asked. Every few seconds something goes wrong: a runner is killed, interrupted
once or twice or asked to end, the endpoint becomes slow or fails, the disk is full or Postgres is started again, a
runner's clock is a day off. When no cell is left, or ``--minutes`` are over and a last runner has finished the rest
undisturbed, the ledger is held against the endpoint's own count. It ends with 1 if a judgment is missing or was made
twice, money is missing, or a runner that was told to stop once lost what it had asked.

With ``--goals`` it is one small study with a goal after the other, judged by two models and two people, who answer on
the pages of ``quorate serve``, which is ended and started again as well. Each is looked at by ``quorate status``,
``status --interim``, ``compare`` and the page of its owner at random moments, and has a line: how its runners and its
lookers ended, what was lost, what was judged twice, and whether the cap held.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zlib
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event, Thread

import httpx2

sys.path.insert(0, str(Path(__file__).parents[1]))

from cluster import Cluster, programs

from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidInput
from quorate.web.serve import prepare

HIDDEN = re.compile(r'type="hidden" name="(\w+)" value="([^"]*)"')
LOOPBACK = Path(__file__).parents[1] / "loopback.py"
COMMAND = """
import os, sys, time
if jump := float(os.environ.get("SOAK_JUMP", 0)):
    real = time.time
    time.time = lambda: real() + jump
if room := int(os.environ.get("SOAK_ROOM", 0)):
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
from quorate.__main__ import main
sys.argv[1:] = ["run", sys.argv[1], "--yes"]
sys.exit(main())
"""
PER_CALL = (100 * 10.0 + 10 * 20.0) / 1e6
DAY = 86_400.0
ONCE, TWICE, TERMINATED, KILLED = "interrupted once", "interrupted twice", "terminated", "killed"
BY_THEMSELVES = {0, 2, 130, -signal.SIGINT, -signal.SIGTERM}
"""Exit codes of runners that were told to stop and did not fail: a signal ends those at once that ask nothing yet."""


class Soak:
    """A study, the runners at work on it, and what has been done to them."""

    def __init__(self, folder: Path, given: argparse.Namespace, cluster: Cluster | None) -> None:
        self.folder, self.wanted, self.cluster, self.rng = folder, given.runners, cluster, random.Random(given.seed)
        self.delay, self.in_flight = given.delay, given.in_flight
        call = [sys.executable, LOOPBACK, str(self.delay), "14400"]
        self.server = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
        self.port = int(self.server.stdout.readline())
        self.place = cluster.place() if cluster else str(folder / "study.db")
        self.cells = given.cells // 8 * 8
        self.runners: list[subprocess.Popen[bytes]] = []
        self.done: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.told: dict[int, str] = {}
        self.stopped: set[int] = set()
        self._write()

    def _write(self) -> None:
        rows = (
            {"id": f"q{n}", "prompt": f"What is {n} + {n}?", "response": f"{2 * n}."} for n in range(self.cells // 8)
        )
        (self.folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        endpoint = {"kind": "endpoint", "base_url": f"http://127.0.0.1:{self.port}/v1", "timeout": 3}
        endpoint |= {
            "concurrency": self.in_flight,
            "params": {"max_tokens": 20},
            "price": {"input": 10.0, "output": 20.0},
        }
        content = {
            "items": "items.jsonl",
            "judges": {name: {**endpoint, "model": name} for name in ("a", "b")},
            "prompts": ["score", "score-reasoned"],
            "temperatures": [0, 0.7],
            "budget": {"calls": 10 * self.cells},
            "ledger": self.place,
        }
        (self.folder / "study.yaml").write_text(json.dumps(content), encoding="utf-8")

    def get(self, path: str) -> object:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=60) as answer:
            return json.load(answer)

    def start(self, **settings: object) -> subprocess.Popen[bytes]:
        environment = {**os.environ, **{f"SOAK_{name.upper()}": str(value) for name, value in settings.items()}}
        call = [sys.executable, "-c", COMMAND, "study.yaml"]
        with (self.folder / "said.txt").open("ab") as said:
            said.write(b"\n")
            runner = subprocess.Popen(call, cwd=self.folder, env=environment, stdout=said, stderr=said)
        self.runners.append(runner)
        return runner

    def tend(self) -> bool:
        """Count runners that ended and start others in their place; whether one says that nothing is left."""
        codes = self.buried()
        while 0 not in codes and len(self.runners) < self.wanted:
            self.start()
        return 0 in codes

    def at_work(self) -> list[subprocess.Popen[bytes]]:
        return [runner for runner in self.runners if runner.poll() is None]

    def buried(self) -> list[int]:
        """Exit codes of runners that ended, which are counted by what was done to them."""
        at_work = self.at_work()
        over, self.runners = [runner for runner in self.runners if runner not in at_work], at_work
        for runner in over:
            how = self.told.get(runner.pid, "left alone")
            self.ended[f"{how} {runner.returncode}"] += 1
            if how in (ONCE, TERMINATED) and runner.returncode in BY_THEMSELVES:
                self.stopped.add(runner.pid)
        return [runner.returncode for runner in over]

    # ---- faults

    def tell(self, how: str, *numbers: int) -> None:
        """Send a runner these signals, one soon after the other."""
        runner = self.rng.choice(self.at_work() or self.runners)  # the last may have ended just now
        self.told[runner.pid] = how
        for number in numbers:
            runner.send_signal(number)
            time.sleep(self.rng.uniform(0, 0.3))

    def killed(self) -> None:
        self.tell(KILLED, signal.SIGKILL)

    def slow(self) -> None:
        self.get(f"delay/{self.rng.choice([1.5, 6.0])}")  # below and above the judges' timeout
        time.sleep(self.rng.uniform(1, 3))
        self.get(f"delay/{self.delay}")

    def failing(self) -> None:
        self.get(f"status/{self.rng.choice([429, 500, 503])}")
        time.sleep(self.rng.uniform(0.2, 1.5))
        self.get("status/200")

    def full_disk(self) -> None:
        """A runner in place of another whose files may not grow by more than some kilobytes."""
        self.killed()
        files = (self.folder / f"study.db{part}" for part in ("", "-wal"))
        size = max((path.stat().st_size for path in files if path.exists()), default=0)
        self.start(room=size + self.rng.randrange(1, 200) * 1024)

    def clock(self) -> None:
        self.killed()
        self.start(jump=self.rng.choice([-DAY, DAY]))

    def restarted(self) -> None:
        self.cluster.stop(self.rng.choice(["immediate", "fast"]))
        time.sleep(self.rng.uniform(0, 2))
        self.cluster.start()

    def faults(self) -> dict[str, Callable[[], None]]:
        every = {
            "runner killed": self.killed,
            "runner interrupted once": partial(self.tell, ONCE, signal.SIGINT),
            "runner interrupted twice": partial(self.tell, TWICE, signal.SIGINT, signal.SIGINT),
            "runner terminated": partial(self.tell, TERMINATED, signal.SIGTERM),
            "endpoint slow": self.slow,
            "endpoint failing": self.failing,
            "clock a day off": self.clock,
        }
        return every | ({"Postgres restarted": self.restarted} if self.cluster else {"disk full": self.full_disk})

    def run(self, seconds: float, pause: float) -> None:
        """Do harm every so many seconds until nothing is left or the time is over; then let a runner finish."""
        until, faults = time.monotonic() + seconds, self.faults()
        while not self.tend() and time.monotonic() < until:
            time.sleep(self.rng.uniform(0.5, 1.5) * pause)
            if self.at_work():
                name = self.rng.choice(list(faults))
                faults[name]()
                self.done[name] += 1
        while not self.tend():
            time.sleep(0.5)
        for runner in self.runners:
            runner.wait()

    # ---- the account

    def lost_by_stopped(self, ledger: Ledger) -> int:
        """Calls counted as lost of runners that were told to stop once, and did."""
        lost = "SELECT name FROM attempts JOIN runners ON runners.id = attempts.runner WHERE status = 'lost'"
        names = [name for (name,) in ledger._connection.execute(lost).fetchall()]
        return sum(name.split(":")[1] in map(str, self.stopped) for name in names)

    def account(self) -> bool:
        """Print what the ledger says beside what the endpoint says; whether they agree."""
        counts, billed = Counter(self.get("counts")), self.get("billed")
        with Ledger.open(self.place) as ledger:
            spend, read = ledger.spend(), ledger._connection.execute
            by_status = dict(read("SELECT status, count(*) FROM attempts GROUP BY status").fetchall())
            ((judged,),) = read("SELECT count(DISTINCT cell) FROM attempts WHERE status = 'ok'").fetchall()
            ((charged,),) = read("SELECT sum(charged) FROM attempts WHERE status = 'ok'").fetchall()
            cell = "SELECT max(request), count(*), count(*) FILTER (WHERE status = 'ok') FROM attempts GROUP BY cell"
            each = read(cell).fetchall()
            ((given_up,),) = read("SELECT count(*) FROM cells WHERE state = 'given_up'").fetchall()
            lost = self.lost_by_stopped(ledger)
        ok = by_status["ok"]
        known, again = float(charged) / 1e9, counts.total() - len(counts)
        twice = sum(max(0, counts[key] - attempts) for key, attempts, _ in each)
        print(f"faults: {', '.join(f'{name} {number}' for name, number in sorted(self.done.items()))}")
        print(f"runners ended: {', '.join(f'{name} {number}' for name, number in sorted(self.ended.items()))}")
        print(f"cells {self.cells}, with a judgment {judged}, given up {given_up}, judgments {ok}: twice {ok - judged}")
        print(f"requests by the endpoint's count {counts.total()}, by the ledger's {spend.calls}")
        print(f"attempts: {', '.join(f'{name} {number}' for name, number in sorted(by_status.items()))}")
        print(f"asked again after an answer that was lost or an error: {again - twice}; for no reason: {twice}")
        print(f"money: {spend.money:.4f} in the ledger, {billed * PER_CALL:.4f} by the endpoint's count of answers")
        print(f"       {known:.4f} of it for judgments, {spend.money - known:.4f} for unknown costs, at the worst case")
        checks = {
            "every cell is judged once or given up": ok == judged == self.cells - given_up,
            "nothing is under way": spend.reserved == 0,
            "runners that were told to stop once lost nothing": lost == 0,
            "the ledger has every request": sum(by_status.values()) == spend.calls >= counts.total(),
            "no question was asked more often than the ledger says": twice == 0,
            "every judgment was asked for": all(counts[key] >= n for key, _, n in each),
            "the ledger has all the money": spend.money >= billed * PER_CALL - 1e-9,
            "judgments cost what the endpoint asks": abs(known - ok * PER_CALL) < 1e-6,
        }
        for rule, held in checks.items():
            print(f"{'yes' if held else 'NO':>4}  {rule}")
        return all(checks.values())


class Person(Thread):
    """Somebody who answers what is asked on the pages, tries again while no server is there, and counts the answers."""

    def __init__(self, link: str, pause: float) -> None:
        super().__init__(daemon=True)
        self.address, self.word = link.split("/link/")
        self.pause, self.over, self.stored = pause, Event(), set[str]()

    def run(self) -> None:
        with httpx2.Client(base_url=self.address, timeout=40) as client:
            while not self.over.wait(self.pause):
                try:
                    self._answer(client)
                except httpx2.TransportError:
                    client.cookies.clear()  # and uses the link anew

    def _answer(self, client: httpx2.Client) -> None:
        if not client.cookies:
            client.get(f"/link/{self.word}")
        page = client.get("/").text
        form = dict(HIDDEN.findall(page))
        if "task" in form:
            answer = str(7 - zlib.crc32(form["task"].encode()) % 7 + ("better" in page))
            if client.post("/answer", data={**form, "answer": answer}).status_code == 303:
                self.stored.add(form["task"])


class Goal(Soak):
    """A study of models and people with a goal, which is looked at while it runs."""

    def __init__(self, folder: Path, given: argparse.Namespace, cluster: Cluster | None) -> None:
        super().__init__(folder, given, cluster)
        self.pause, self.next = given.pause, 0.0
        self.get("spread/6")
        self.lookers: list[tuple[str, subprocess.Popen[bytes]]] = []
        self.seen: Counter[str] = Counter()
        self.web = free_port()
        links = prepare(folder / "study.yaml", host="127.0.0.1", port=self.web, links=True).links
        self.owner = links[""]
        self.people = [Person(link, given.thought) for name, link in links.items() if name]
        self._serve()
        for person in self.people:
            person.start()

    def _write(self) -> None:
        super()._write()
        rows = [
            {"id": f"q{n}", "s": system, "prompt": f"What is {n} + {n}?", "response": f"{words} {2 * n}."}
            for n in range(self.cells // 4)
            for system, words in (("x", "a better one,"), ("y", "one,"))
        ]
        (self.folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        path = self.folder / "study.yaml"
        content = json.loads(path.read_text(encoding="utf-8")) | {
            "items": {"file": "items.jsonl", "system": "s"},
            "prompts": ["score"],
            "goal": {"compare": ["x", "y"], "margin": 0.1},
            "looks": 5,
            "budget": {"calls": self.cells},
        }
        content["judges"]["raters"] = {"kind": "people", "seats": 2}
        del content["temperatures"]
        path.write_text(json.dumps(content), encoding="utf-8")

    def _quorate(self, said: str, *words: str) -> subprocess.Popen[bytes]:
        with (self.folder / said).open("ab") as kept:
            call = [sys.executable, "-m", "quorate", *words]
            return subprocess.Popen(call, cwd=self.folder, stdout=kept, stderr=kept)

    def _serve(self) -> None:
        self.server_of_pages = self._quorate("served.txt", "serve", "study.yaml", "--port", str(self.web))

    def look(self) -> None:
        """Look at it in one of four ways, of which commands are processes that are not waited for."""
        words = self.rng.choice(
            [("status", "study.yaml"), ("status", "--interim", "study.yaml"), ("compare", self.place, "x", "y"), ()]
        )
        if words:
            name = " ".join(word for word in words if word in ("status", "--interim", "compare"))
            self.lookers.append((name, self._quorate("looked.txt", *words)))
            return
        try:
            with httpx2.Client(follow_redirects=True, timeout=40) as client:
                self.seen[f"serve {client.get(self.owner).status_code}"] += 1
        except httpx2.TransportError:
            self.seen["serve away"] += 1

    def server_ended(self) -> None:
        self.server_of_pages.send_signal(self.rng.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM]))

    def faults(self) -> dict[str, Callable[[], None]]:
        return super().faults() | {"server of pages ended": self.server_ended}

    def tend(self) -> bool:
        """The same, and count those that looked; 0 and 2 both end a study with a goal, and 2 also waits for people."""
        self.seen.update(f"{name} {one.poll()}" for name, one in self.lookers if one.poll() is not None)
        self.lookers = [(name, one) for name, one in self.lookers if one.poll() is None]
        self.buried()
        over = self.over()
        if not over and time.monotonic() > self.next:
            while len(self.runners) < self.wanted:
                self.start()
            if self.server_of_pages.poll() is not None:
                self.ended[f"serve {self.server_of_pages.returncode}"] += 1
                self._serve()
            if len(self.lookers) < self.wanted:  # on a slow machine they would get in each other's way
                self.look()
            self.next = time.monotonic() + self.pause / 2
        return over and not self.runners and not self.lookers

    def over(self) -> bool:
        """Whether the ledger has a look that ended the study."""
        try:
            with Ledger.open(self.place) as ledger:
                held = ledger.looks()
        except InvalidInput:  # being made
            return False
        return bool(held) and held[-1].content["look"]["ending"] is not None

    def end(self) -> None:
        """Let the people go, and end what is left."""
        for person in self.people:
            person.over.set()
        for person in self.people:
            person.join()
        for process in (*self.runners, *(one for _, one in self.lookers), self.server_of_pages, self.server):
            process.kill()
            process.wait()

    def line(self) -> tuple[dict[str, object], bool]:
        """What became of it, and whether nothing was lost, judged twice or spent beyond the cap."""
        for person in self.people:
            person.over.set()
            person.join()
        counts, stored = Counter(self.get("counts")), set[str]().union(*(person.stored for person in self.people))
        with Ledger.open(self.place) as ledger:
            ledger.expire()
            spend, read = ledger.spend(), ledger._connection.execute
            by_status = dict(read("SELECT status, count(*) FROM attempts GROUP BY status").fetchall())
            ((judged,),) = read("SELECT count(DISTINCT cell) FROM attempts WHERE status = 'ok'").fetchall()
            done = {key for (key,) in read("SELECT key FROM cells WHERE state = 'done'").fetchall()}
            ((ending, looks),) = [(held[-1].content["look"]["ending"], len(held)) for held in [ledger.looks()]]
            by_stopped = self.lost_by_stopped(ledger)
        kept = len(list(self.folder.glob("*kept*")))
        known = sum(number for status, number in by_status.items() if status != "unsent")
        found = {
            "ended": f"{ending} after {looks} looks",
            "runners": dict(sorted(self.ended.items())),
            "lookers": dict(sorted(self.seen.items())),
            "faults": dict(sorted(self.done.items())),
            "sent": counts.total(),
            "people": len(stored),
            "charged": spend.calls,
            "lost": by_status.get("lost", 0),
            "of them by runners that were told to stop once": by_stopped,
            "missing": len(stored - done),
            "twice": by_status.get("ok", 0) - judged,
            "cap": f"{spend.calls} of {self.cells}",
            "copies": kept,
        }
        missing = counts.total() + len(stored) > spend.calls or known != spend.calls or not stored <= done
        wrong = found["twice"] or kept or missing or by_stopped or spend.calls > self.cells or spend.reserved
        return found, not wrong


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def goals(given: argparse.Namespace, cluster: Cluster | None) -> int:
    """Print a line for each study with a goal until the minutes are over."""
    until, number, wrong = time.monotonic() + given.minutes * 60, 0, 0
    while time.monotonic() < until:
        number += 1
        own = argparse.Namespace(**{**vars(given), "seed": given.seed + number})
        with tempfile.TemporaryDirectory() as place:
            soak = Goal(Path(place), own, cluster)
            try:
                soak.run(max(0.0, min(600.0, until - time.monotonic())), given.pause)
                found, right = soak.line()
                wrong += not right
                print(f"{number:3} {'yes' if right else 'NO':>3}  " + "; ".join(f"{k} {v}" for k, v in found.items()))
                for name in ("said.txt", "looked.txt", "served.txt"):
                    said = (soak.folder / name).read_text(encoding="utf-8", errors="replace")
                    for line in sorted({line for line in said.splitlines() if line.startswith("quorate:")}):
                        print(f"         {name}: {line[:200]}")
                sys.stdout.flush()
            finally:
                soak.end()
    print(f"{number} studies, {wrong} with something lost, twice, or beyond the cap")
    return int(wrong > 0)


def main() -> int:
    """Print the account."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=50_000)
    parser.add_argument("--minutes", type=float, default=30.0, help="for how long things go wrong at most")
    parser.add_argument("--pause", type=float, default=5.0, help="seconds between two faults, on average")
    parser.add_argument("--runners", type=int, default=2)
    parser.add_argument("--in-flight", type=int, default=32, help="requests of a judge of a runner at a time")
    parser.add_argument("--delay", type=float, default=0.5, help="seconds the endpoint takes; below 1.5")
    parser.add_argument("--thought", type=float, default=0.5, help="seconds that people think about a question")
    parser.add_argument("--postgres", action="store_true", help="a cluster of its own, in place of a file")
    parser.add_argument("--goals", action="store_true", help="small studies with a goal, which are looked at")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    # In the background of a shell Ctrl-C is ignored, and what is started there inherits that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = programs() if given.postgres else None
    if given.postgres and folder is None:
        raise SystemExit("needs Postgres (initdb, pg_ctl)")
    cluster = Cluster(folder) if folder else None
    if given.goals:
        try:
            return goals(given, cluster)
        finally:
            if cluster:
                cluster.end()
    with tempfile.TemporaryDirectory() as place:
        soak = Soak(Path(place), given, cluster)
        try:
            began = time.monotonic()
            soak.run(given.minutes * 60, given.pause)
            print(f"{(time.monotonic() - began) / 60:.1f} minutes")
            return 0 if soak.account() else 1
        finally:
            for process in (*soak.runners, soak.server):
                process.kill()
            if cluster:
                cluster.end()


if __name__ == "__main__":
    sys.exit(main())
