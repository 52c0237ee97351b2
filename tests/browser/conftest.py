"""A study served by a process of its own, and a browser that does what a test says."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from quorate.collect.ledger.ledger import Ledger
from quorate.web.serve import prepare

HERE = Path(__file__).parent
MODULES = HERE.parent.parent / ".venv-browser"
"""Where `make test-browser` installs what package.json names."""

UNREAD = 0.35
"""Seconds after which a new question takes answers."""

TASK = """(() => {
  const own = document.getElementById("answer")?.elements;
  return own?.task ? `${own.task.value}/${own.shown.value}` : null;
})()"""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("browser")


class Driver:
    """A process that drives a browser; it ends when its input does."""

    def __init__(self, browser):
        call = [shutil.which("node"), HERE / "driver.cjs", MODULES, browser]
        self._process = subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, command, **given):
        self._process.stdin.write(json.dumps({"command": command, **given}) + "\n")
        self._process.stdin.flush()
        said = json.loads(self._process.stdout.readline() or '{"error": "the driver has ended"}')
        assert "error" not in said, said["error"]
        return said["value"]

    def end(self):
        self._process.stdin.close()
        try:
            self._process.wait(20)
        finally:
            self._process.kill()
            self._process.stdout.close()


class Tab:
    """One tab of somebody's browser; two tabs of one person share cookies."""

    def __init__(self, driver, who, tab, url, **look):
        self.driver, self.who, self.tab = driver, who, f"{who}/{tab}"
        driver.tell("open", who=who, tab=self.tab, url=url, **look)

    def __getattr__(self, command):
        return lambda **given: self.driver.tell(command, tab=self.tab, **given)

    def press(self, *keys):
        self.driver.tell("press", tab=self.tab, keys=keys)

    def offline(self, off):
        self.driver.tell("offline", who=self.who, off=off)

    @property
    def title(self):
        return self.read(script="document.title")

    @property
    def task(self):
        """Key of the question on the page and how often it was answered, by which an answer is known; None if none."""
        return self.read(script=TASK)

    def titled(self, beginning, seconds=10):
        self.wait(script=f"document.title.startsWith({json.dumps(beginning)})", seconds=seconds)

    def says(self, text, seconds=10):
        self.wait(script=f"document.body.textContent.includes({json.dumps(text)})", seconds=seconds)

    def moved(self, before):
        """Wait until another question stands there, or none, and can be answered."""
        self.wait(script=f"document.readyState === 'complete' && ({TASK}) !== {json.dumps(before)}")
        time.sleep(UNREAD)


class Served:
    """A study served on this machine by a process that can be killed."""

    def __init__(self, driver, path):
        self._driver, self.path, self._tabs = driver, path, 0
        with closing(socket.socket()) as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        opened = prepare(path, host="127.0.0.1", port=self.port, links=True)
        self.links, self.database = opened.links, opened.asked.study.database
        self._browsers, self._processes = set(), []
        self.start()

    def _begun(self, *words):
        """A process of quorate, which ends with the test."""
        with self.path.with_suffix(".log").open("a") as log:
            call = [sys.executable, "-m", "quorate", *words]
            self._processes.append(subprocess.Popen(call, stdout=log, stderr=log))
        return self._processes[-1]

    def run(self):
        return self._begun("run", self.path, "--yes")

    def start(self):
        self._process = self._begun("serve", self.path, "--port", str(self.port))
        for _ in range(600):
            with closing(socket.socket()) as wire:
                if wire.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert self._process.poll() is None, self.log
            time.sleep(0.1)
        pytest.fail("the server did not start in a minute")

    def kill(self):
        self._process.kill()
        self._process.wait()

    @property
    def log(self):
        return self.path.with_suffix(".log").read_text()

    def tab(self, name, who=None, **look):
        """A tab in which somebody has opened their link."""
        who = f"{who or name or 'owner'} {id(self)}"
        self._tabs += 1
        self._browsers.add(who)
        tab = Tab(self._driver, who, self._tabs, self.links[name], **look)
        tab.wait(script="location.pathname === '/' || location.pathname === '/study'")
        tab.wait(script="document.readyState === 'complete'")
        return tab

    def rows(self, query):
        with Ledger.open(self.database) as ledger:
            return ledger.store.connection.execute(query).fetchall()

    def once(self, *, undone=0):
        """Every cell has one answer that counts, and as many were taken back as this."""
        cells = self.rows("SELECT count(*), count(accepted), count(DISTINCT accepted) FROM cells")[0]
        assert cells[0] == cells[1] == cells[2]
        assert self.rows("SELECT count(*) FROM attempts") == [(cells[0] + undone,)]
        assert self.rows("SELECT count(*) FROM attempts WHERE status = 'lost'") == [(0,)]
        calls, reserved = self.rows("SELECT calls, reserved FROM spend")[0]
        assert (calls, reserved) == (cells[0] + undone, 0)

    def end(self):
        for process in self._processes:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for who in self._browsers:
            self._driver.tell("close", who=who)


@pytest.fixture(scope="session")
def driver():
    browser = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None or shutil.which("node") is None or not (MODULES / "node_modules").is_dir():
        pytest.skip("needs Chromium (CHROMIUM names it), node, and what make test-browser installs")
    made = Driver(browser)
    yield made
    made.end()


@pytest.fixture
def serve(driver, tmp_path):
    """A function that serves a study of these rows and settings."""
    opened = []

    def make(rows, **content):
        folder = tmp_path / f"study{len(opened)}"
        folder.mkdir()
        (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        for name, text in content.pop("files", {}).items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "study.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        opened.append(Served(driver, folder / "study.yaml"))
        return opened[-1]

    yield make
    for one in opened:
        one.end()


@pytest.fixture
def serve_pairs(serve):
    """A function that serves a study of so many pairs, which ana judges unless it is said who."""

    def make(count, **changes):
        rows = [
            {
                "id": f"item-{n}",
                "prompt": f"Question {n}: how do I keep bread fresh for {n} days?",
                "response_a": f"alpha: in a linen bag, {n} times folded.",
                "response_b": f"beta: in the freezer, for {n} days.",
                "model_a": "Alpha-9000",
                "model_b": "Beta-XL",
            }
            for n in range(1, count + 1)
        ]
        paired = {"file": "items.jsonl", "id": "id", "system_a": "model_a", "system_b": "model_b"}
        settings = {"judges": {"ana": {"kind": "person"}}, "prompts": ["pairwise"], "budget": {"calls": 200}}
        return serve(rows, items=paired, **{**settings, **changes})

    return make
