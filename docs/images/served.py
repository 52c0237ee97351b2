"""Take ``people.png`` and ``watch.png``: the pages of a rater and of the owner, of studies that are served here.

It needs Chromium (``CHROMIUM`` names it), Pillow, and what ``make test-browser`` installs. Run it from the root of the
repository after a page has changed::

    .venv/bin/python -m pip install pillow --editable '.[test]'
    .venv/bin/python docs/images/served.py
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from html import unescape
from http.cookiejar import CookieJar
from itertools import product
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import numpy as np
from reports import reduced

import quorate as q
from quorate.web.serve import application, listen, prepare

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT = 1280, 900
TESTS = HERE.parent.parent / "tests" / "browser"
READ = "new Promise((done) => setTimeout(done, 500))"
"""What is pressed before a question can have been read is not its answer."""
DRAWN = "document.images.length && [...document.images].every((one) => one.complete && one.naturalWidth)"
ANA = {"ana": {"kind": "person", "price": 0.2}}
SHELF = (
    "Think of a shelf beside your desk: the books that you use most stand there, so that you do not walk to the "
    "library each time. A computer does the same with answers that it has worked out before."
)
MODELS, PAIRS = ("gpt", "llama"), 60
PEOPLE = {"ana": 78, "raters 1": 48, "raters 2": 9}
"""How many answers everybody gives."""


class Rater:
    """Somebody who has opened a link."""

    def __init__(self, link: str) -> None:
        self.opener = build_opener(HTTPCookieProcessor(CookieJar()))
        self.at = link.partition("/link/")[0]
        self.open(link)
        self.page = self.open(self.at)

    def open(self, url: str, **fields: str) -> str:
        """The page at an address, or after a form was sent."""
        with self.opener.open(url, urlencode(fields).encode() if fields else None) as said:
            return str(said.read().decode())

    def answer(self, chosen: Callable[[str], str]) -> None:
        """Answer what is asked, as seen in the first response."""
        form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', self.page))
        first = unescape(re.findall(r'<div class="text" dir="auto">(.*?)</div>', self.page, re.DOTALL)[1])
        self.page = self.open(f"{self.at}/answer", **form, answer=chosen(first))


def served(port: int, rows: list[dict[str, str]], **study: Any) -> Mapping[str, str]:
    """The links of a study that is served from now on."""
    folder = Path(tempfile.mkdtemp(dir=Path.cwd()))
    paired = {"file": "items.jsonl", "id": "id", "system_a": "model_a", "system_b": "model_b"}
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    path = folder / "study.yaml"
    path.write_text(json.dumps({"items": paired, "prompts": ["pairwise"], **study}), encoding="utf-8")
    opened = prepare(path, host="127.0.0.1", port=port, links=True)
    Thread(target=listen, args=(application(opened.asked), "127.0.0.1", port), daemon=True).start()
    while not reached(port):
        sleep(0.1)
    return {"path": str(path), **opened.links}


def reached(port: int) -> bool:
    """Whether somebody listens."""
    with closing(socket.socket()) as wire:
        return wire.connect_ex(("127.0.0.1", port)) == 0


def pair(name: str, first: str, second: str) -> dict[str, str]:
    """A question and two responses to it."""
    asked = "Explain what a cache is to somebody who has never written a program."
    own = {"id": name, "prompt": asked, "response_a": first, "response_b": second}
    return {**own, "model_a": "Alpha-9000", "model_b": "Beta-XL"}


def seen(link: str, height: int, *told: Mapping[str, Any]) -> np.ndarray:
    """The pixels of a page for who has opened a link and done what is told."""
    from PIL import Image

    node, browser = shutil.which("node"), os.environ.get("CHROMIUM") or shutil.which("chromium")
    if node is None or browser is None:
        sys.exit("no node, or no Chromium: set CHROMIUM to its path")
    shot = Path("shot.png").resolve()
    entered = {"script": "!location.pathname.startsWith('/link') && document.readyState === 'complete'"}
    commands = [
        {"command": "open", "who": "who", "tab": "tab", "url": link, "width": WIDTH, "height": height},
        {"command": "wait", **entered},
        *told,
        {"command": "shot", "path": str(shot)},
    ]
    lines = "".join(f"{json.dumps({'tab': 'tab', **command})}\n" for command in commands)
    call = [node, TESTS / "driver.cjs", TESTS.parent.parent / ".venv-browser", browser]
    said = subprocess.run(call, input=lines, check=True, capture_output=True, timeout=120, text=True).stdout  # noqa: S603
    if "error" in said:
        sys.exit(said)
    with Image.open(shot) as image:
        return np.asarray(image.convert("RGB"))


def rater() -> None:
    """A rater's second question, when the first answer is saved."""
    study = served(
        8123,
        [pair(f"item-{n}", "A cache is a memory in a computer.", SHELF) for n in range(4)],
        judges=ANA,
        budget={"calls": 9},
    )
    saved = "document.getElementById('state').innerText.startsWith('Saved')"
    press = {"command": "press", "keys": ["2"]}
    told = ({"command": "read", "script": READ}, press, {"command": "wait", "script": saved})
    reduced(seen(study["ana"], HEIGHT, *told), HERE / "people.png")


def recorded(rng: np.random.Generator) -> Path:
    """What the models said of every pair, either way round."""
    path, rows = Path("recorded.csv").resolve(), product(MODELS, range(PAIRS), ("listed", "swapped"))
    said = [f"{judge},item-{n},{order},{int(rng.random() < 0.72)}\n" for judge, n, order in rows]
    path.write_text("judge,item,order,score\n" + "".join(said), encoding="utf-8")
    return path


def owner() -> None:
    """What the owner sees while three people judge what two models have judged."""
    rng = np.random.default_rng(3)
    people = {**ANA, "raters": {"kind": "people", "seats": 2, "price": 0.2}}
    models = {name: {"kind": "replay", "table": str(recorded(rng))} for name in MODELS}
    study = served(
        8124,
        [pair(f"item-{n}", f"Alpha's answer {n}", f"Beta's answer {n}") for n in range(PAIRS)],
        judges={**models, **people},
        order="both",
        budget={"calls": 700, "money": 100},
    )

    def choice(first: str) -> str:
        better = "A" if first.startswith("Alpha") else "B"
        return "tie" if rng.random() < 0.1 else better if rng.random() < 0.72 else "AB".replace(better, "")

    q.run(study["path"])
    for name, count in PEOPLE.items():
        who = Rater(study[name])
        for _ in range(count):
            who.answer(choice)
    live = {"command": "wait", "script": DRAWN, "seconds": 90}
    reduced(seen(study[""], HEIGHT, live), HERE / "watch.png")


def main() -> None:
    """Take both."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        rater()
        owner()


if __name__ == "__main__":
    main()
