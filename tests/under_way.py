"""Studies that are not done: two judges, as many answers as the budget allows."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import yaml

import quorate as q

SYSTEMS = ("amber", "basalt")
JUDGES: dict[str, Any] = {name: {"kind": "python"} for name in ("m", "n")}


def scored(folder: Path, *, calls: int, items: int = 24) -> Path:
    """Scores in which amber is better by about three points."""
    rows = [
        {"id": f"q{i}", "prompt": "p", "response": f"{name} {i}", "system": name}
        for i in range(items)
        for name in SYSTEMS
    ]
    path = written(folder, rows, {"file": "items.jsonl", "system": "system"}, ["score"], calls)

    def judge(request: Any) -> int:
        better = request.cell["system"] == "amber"
        return 5 + 3 * better + drawn(request).randrange(2) + (request.judge == "n")

    q.run(path, judges=dict.fromkeys(JUDGES, judge))
    return path


def voted(folder: Path, *, calls: int, items: int = 30, share: float = 0.9, systems: tuple[str, ...] = SYSTEMS) -> Path:
    """Votes, both orders of every pair: the one that is named first is preferred with this chance."""
    texts = {"prompt": "p", "response_a": "x", "response_b": "y"}
    rows = [{"id": f"q{i}", **texts, "a": a, "b": b} for i in range(items) for a, b in combinations(systems, 2)]
    given = {"file": "items.jsonl", "system_a": "a", "system_b": "b"}
    path = written(folder, rows, given, ["pairwise"], calls, order="both")

    def judge(request: Any) -> str:
        return "A" if (drawn(request).random() < share) == (request.cell["order"] == "listed") else "B"

    q.run(path, judges=dict.fromkeys(JUDGES, judge))
    return path


def drawn(request: Any) -> random.Random:
    """Of a request alone: which of them is asked first is left to the clock."""
    return random.Random(f"{sorted(request.cell.items())} {request.judge}")


def asked(folder: Path) -> Path:
    """One rating that a person is asked for."""
    rows = [{"id": "q1", "prompt": "p", "response": "r"}]
    return written(folder, rows, "items.jsonl", ["score"], 9, judges={"ana": {"kind": "person"}})


def written(folder: Path, rows: Any, items: Any, prompts: list[str], calls: int, **more: Any) -> Path:
    """A study file and its items."""
    folder.mkdir(exist_ok=True)
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    content = {"items": items, "judges": JUDGES, "prompts": prompts, "budget": {"calls": calls}, **more}
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path
