"""Running commands in a folder of their own, and small files for them to read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quorate.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def said(self) -> str:
        """The screen as one line."""
        return " ".join(self.out.split())

    def refused(self) -> str:
        """The one line by which it was refused."""
        assert (self.code, self.out, self.err.count("\n"), self.err[:9]) == (1, "", 1, "quorate: ")
        return self.err


@pytest.fixture
def run(capsys, monkeypatch, tmp_path) -> Callable[..., Ran]:
    """Runs the command with these words, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    capsys.readouterr()

    def run(*words: object) -> Ran:
        code = main([str(word) for word in words])
        return Ran(code, *capsys.readouterr())

    return run


def crossed(judges=("a", "b", "c"), items=12, prompts=("x", "y", "z"), replicates=2) -> str:
    """Crossed judgments with effects of item, judge and item:judge, as CSV."""
    rng = np.random.default_rng(1)
    item, judge, both = rng.normal(size=items), np.arange(len(judges)), rng.normal(size=(items, len(judges)))
    lines = [
        f"i{i},{name},{prompt},{r},{5 + item[i] + judge[m] + both[i, m] + rng.normal():.3f}\n"
        for i in range(items)
        for m, name in enumerate(judges)
        for prompt in prompts
        for r in range(replicates)
    ]
    return "".join(["item,judge,prompt,replicate,score\n", *lines])


@pytest.fixture(name="crossed", scope="session")
def _crossed() -> Callable[..., str]:
    return crossed


@pytest.fixture
def scores(tmp_path) -> Path:
    """12 items x 3 judges x 3 prompts x 2 replicates."""
    path = tmp_path / "scores.csv"
    path.write_text(crossed(), encoding="utf-8")
    return path


@pytest.fixture
def ordered(tmp_path) -> Path:
    """Votes on two equal systems, each shown first half of the time, of which the first wins three in four."""
    rows = [
        f"{pair},{'model_b' if i % 4 == 0 else 'model_a'},{pair[0]}{i}" for pair in ("x,y", "y,x") for i in range(200)
    ]
    lines = ["model_a,model_b,winner,prompt,order", *(f"{row},{row[0]}" for row in rows)]
    path = tmp_path / "ordered.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def ballots(
    path: Path, shares: dict[tuple[str, str], float], each: int, rest: Callable[[int], str], names: str
) -> Path:
    """A file of votes: of each pair so many, the first of the two preferred by about that share of them."""
    rng = np.random.default_rng(6)
    lines = [
        f"{a},{b},{'model_a' if rng.random() < share else 'model_b'},p{i // 2},{rest(i)}"
        for (a, b), share in shares.items()
        for i in range(each)
    ]
    path.write_text("\n".join([f"model_a,model_b,winner,prompt,{names}", *lines]) + "\n")
    return path


@pytest.fixture(scope="session")
def battles(tmp_path_factory) -> Path:
    """Three systems, four types of prompts: x beats y clearly, y and z are nearly tied."""
    shares = {("x", "y"): 0.7, ("y", "z"): 0.51, ("x", "z"): 0.72}
    path = tmp_path_factory.mktemp("battles") / "votes.csv"
    return ballots(path, shares, 600, lambda i: f"t{i % 4},j{i % 25}", "prompt_type,judge")


@pytest.fixture(scope="session")
def far_ahead(tmp_path_factory) -> Path:
    """Three systems by 900 votes: x far ahead, y and z nearly tied; votes of a prompt come in twos."""
    shares = {("x", "y"): 0.75, ("y", "z"): 0.51, ("x", "z"): 0.76}
    path = tmp_path_factory.mktemp("battles") / "votes.csv"
    return ballots(path, shares, 300, lambda i: "en" if i % 2 else "de", "prompt_type")
